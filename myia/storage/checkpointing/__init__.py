"""Online checkpointing (`checkpoint="trail"`): any number of iterations in fixed memory.

In: a `SplitAdjoint`, a number of snapshots and the length of a replay block. Out: snapshots and the
replay block as further carries of the forward loop, and the adjoint loop, which replays. Read
`replay_block.py` (residuals of one block), `snapshots.py` (when the forward sweep takes them), then
`online_checkpointing.py` (the reverse sweep).
"""
