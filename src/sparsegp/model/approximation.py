"""SoR, DTC, FITC and VFE: one model that differs in the use of the residual variance.

The basis (the inducing points) explains the part q_i = ‖φ_i‖² of the prior variance k_ii of row i.
The four approximations differ in where the residual variance d_i = k_ii − q_i enters:

==== ============================ =========================== ===========================
name noise of a training row      log marginal likelihood     predictive variance
==== ============================ =========================== ===========================
SoR  σ²                           unchanged                   without d
DTC  σ²                           unchanged                   with d
FITC σ² + d_i                     unchanged                   with d
VFE  σ²                           lower bound: −½ Σ d_i/σ²    with d
==== ============================ =========================== ===========================

- SoR, subset of regressors: Silverman (1985), Smola & Bartlett (2001).
- DTC, deterministic training conditional, also *projected latent variables* or *projected process*:
  Csató & Opper (2002), Seeger, Williams & Lawrence (2003), Keerthi & Chu (2005).
- FITC, fully independent training conditional: Snelson & Ghahramani (2006), there called SPGP.
- VFE, variational free energy: Titsias (2009).

Quiñonero-Candela & Rasmussen (2005) give the unifying view of the first three; Bauer, van der Wilk
& Rasmussen (2016) compare FITC and VFE.
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
