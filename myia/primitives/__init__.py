"""The primitives: every operation of the IR, one block each, in the file of its family.

In: `ir/`. Out: `PRIMITIVES`, the registry that lowering, evaluation, the transforms and the
verifier read. A block states the shape rule, the lowering to JAX, the evaluation by NumPy and the
derivative of one operation; no other stage has to know it. (Cost models and some passes name the
primitives that they treat specially.)

`core/` has the constructors of blocks, the ops with regions and the ops of IR(py). Read
`core/define.py`, then `pointwise/transcendental.py` (blocks of one line), then
`core/structured.py`. The families are `pointwise/`, `special/`, `arrays/`, `linalg/` and
`random.py`.

Importing this package fills the registry and gives IR values Python's operators.
"""

import myia.primitives.arrays.convolution
import myia.primitives.arrays.cumulative
import myia.primitives.arrays.dynamic_slices
import myia.primitives.arrays.fft
import myia.primitives.arrays.gather
import myia.primitives.arrays.pooling
import myia.primitives.arrays.reductions
import myia.primitives.arrays.scattering
import myia.primitives.arrays.shaping
import myia.primitives.arrays.sorting
import myia.primitives.arrays.window_geometry
import myia.primitives.core.barriers
import myia.primitives.core.define
import myia.primitives.core.effects
import myia.primitives.core.emit_structured
import myia.primitives.core.host_calls
import myia.primitives.core.py
import myia.primitives.core.region_dataflow
import myia.primitives.core.structured
import myia.primitives.linalg.dot
import myia.primitives.linalg.eig
import myia.primitives.linalg.eigh_svd
import myia.primitives.linalg.lu
import myia.primitives.linalg.matrix_formulas
import myia.primitives.linalg.matrix_functions
import myia.primitives.linalg.qr
import myia.primitives.linalg.schur_hessenberg
import myia.primitives.linalg.triangular
import myia.primitives.pointwise.arithmetic
import myia.primitives.pointwise.bits
import myia.primitives.pointwise.integer_quotient
import myia.primitives.pointwise.logic
import myia.primitives.pointwise.transcendental
import myia.primitives.pointwise.value_operators
import myia.primitives.random
import myia.primitives.special.exponential_integrals
import myia.primitives.special.gamma_bessel
import myia.primitives.special.hypergeometric
import myia.primitives.special.normal
