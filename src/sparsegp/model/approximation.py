"""SoR, DTC, FITC and VFE: one model, three questions.

A basis explains the variance q_i = ‖φ_i‖² of the prior variance k_ii of row i. The four
approximations differ only in what becomes of the rest d_i = k_ii − q_i:

==== ============================ =========================== ===========================
name does it add to the noise of  does it lower the evidence  does it widen predictions?
     a training row?              as a trace term?
==== ============================ =========================== ===========================
SoR  no                           no                          no
DTC  no                           no                          yes
FITC yes: σ² + d_i                no                          yes
VFE  no                           yes: −½ Σ d_i/σ²            yes
==== ============================ =========================== ===========================

Quiñonero-Candela & Rasmussen (2005) for the first three, Titsias (2009) for the bound.
"""

from dataclasses import dataclass

__all__ = ["APPROXIMATIONS", "DTC", "FITC", "SOR", "VFE", "Approximation"]


@dataclass(frozen=True)
class Approximation:
    """Where the residual variance d_i = k_ii − q_i enters."""

    name: str
    in_noise: bool = False
    in_bound: bool = False
    in_prediction: bool = True


SOR = Approximation("sor", in_prediction=False)
DTC = Approximation("dtc")
FITC = Approximation("fitc", in_noise=True)
VFE = Approximation("vfe", in_bound=True)

APPROXIMATIONS = {rule.name: rule for rule in (SOR, DTC, FITC, VFE)}
