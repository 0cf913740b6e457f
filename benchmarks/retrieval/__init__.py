"""Measuring retrieval on public data: what is asked, how it is judged, and by what it is known.

A system is two methods, `index` and `search`, so that anything can be measured like wellworn.
`tasks` has the data sets, `metrics` the metrics.
"""
