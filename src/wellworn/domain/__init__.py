"""The domain: what wellworn exists for. A capability is its rules, a service and a store."""
