"""The only SQL of thoughts. Every function runs inside a transaction that its caller owns.

`units` the thoughts themselves · `ledger` trails and what wears them · `sessions` who asked what ·
`roads` highways · `records` one thought whole, and where it came from · `bundle` rows for
export and import.
"""
