"""Slips in the printed texts, each settled by a test or by the paper's own numbers."""

__all__ = ["SLIPS", "section_of_slips"]

SLIPS = {
    "KC": (
        "Section 5, the kernel: the exponent has no minus sign. Here "
        "v₀ exp(−½ Σ (x_ℓ − x′_ℓ)²/l_ℓ²) + v_b.",
        "Table 1, NLPD: contradicted by SKS on the same method (see above).",
    ),
    "SKS": (
        "Appendix, last display: the leave-one-out variance is K_ii − Q_ii + σ²/(1 − η_i), with σ² "
        "and not σ⁻² (section 4 has it right). It contains the noise.",
        "Tables 2 and 4: the NLPD of Abalone is that of a standardised target, times 100.",
        "Section 6: with a cache the number of basis vectors is less “except in only one case”. "
        "Table 2 has two: NLML (47.9, with cache 53.6) and NLGPP (78.4, 79.1), both on Abalone.",
        "Table 3: the cached size of LOO-CVE is 44.3 ± 8.5 for Friedman2 and for Friedman3: one of "
        "the two must be a copy.",
    ),
    "SS": (
        "Section 2: M = L⁻¹ Π^½ K; the text has Π without the root.",
        "Eq. 9: the sum is over η_i k̃(x, x_i)²; the text has no square.",
        "Section 3, the bound on a site's precision: η̃_i = min_l A_ll/k̃_{l,i}²; the text has "
        "A_li over k.",
        "Section 4, information gain: the gain of a row is the divergence of the new belief from "
        "the old one, ½[−log λ̄ + λ̄ − 1 + (f′ − f)²/A], and the row with the *largest* is taken; "
        "the text has 1/λ and takes the smallest.",
    ),
    "CO": (
        "Eq. E.9: α̂ = α − α* Q*/q*, with a minus sign (eq. 3.16 has it right).",
        "Eq. 4.3: the normaliser is (2πσ_x²)^−½; the text has the square.",
    ),
}


def section_of_slips(paper: str) -> str:
    """Return the section of a paper's page."""
    lines = "\n".join(f"- {slip}" for slip in SLIPS[paper])
    return f"## Slips in the text\n\n{lines}"
