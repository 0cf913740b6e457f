"""The application: calls that join capabilities, their wiring, and the care of a data folder."""
