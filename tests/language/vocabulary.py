"""The words that this project once used for what the field has a name for, and that name.

One table for prose, one for files, one for classes and functions. ``ALLOWED`` holds the exceptions.
"""

import re
from dataclasses import dataclass

__all__ = ["ALLOWED", "OLD_FILES", "OLD_NAMES", "PROSE", "Word"]


@dataclass(frozen=True)
class Word:
    """A pattern that prose must not contain, what to write instead, and why."""

    pattern: str
    write: str
    reason: str

    def find_in(self, text: str) -> list[re.Match[str]]:
        """Return all matches; a line break counts as a space."""
        pattern = self.pattern.replace(" ", r"\s+")
        return list(re.finditer(rf"\b(?:{pattern})\b", text, re.IGNORECASE))


_HELD_OUT = "held-out rows, validation rows, calibration rows"
_WARP = "warp, warped target; for columns: transform"
_ITERATION = "iteration"
_NAME_IT = "name the thing: the number of rows, the caller, the cache"
_PEOPLE = ("those", "people", "user", "users", "reader", "readers", "anyone", "everyone", "someone")

PROSE = (
    Word("strangers?", _HELD_OUT, "rows that a model has not seen have a standard name"),
    Word("(?:keep|keeps|kept|keeping) back", _HELD_OUT, "rows are held out"),
    Word("judges", f"{_HELD_OUT}; as a verb: scores, compares", "rows that score a model"),
    Word("bends?|bent|bending|unbend\\w*|unbent", _WARP, "the field says warped"),
    Word("curves? of (?:a|the|its) targets?", _WARP, "the field says warped"),
    Word("(?:becomes?|became) of", "transform, encoding", "a transform is meant"),
    Word("limits? of time|time's limit", "time budget, time limit", "an option: time_limit"),
    Word("hurry|hurried|hurries|unhurried", "a small time budget", "a program has a budget"),
    Word(
        "far (?:rows?|tables?|parts?|columns?|arrays?|sources?|data|labels?)|rows that are far",
        "out-of-core; for outliers: extreme, outlying",
        "the field says out-of-core",
    ),
    Word("near (?:rows?|tables?|columns?|arrays?)", "in memory", "the field says in memory"),
    Word(
        "foretells?|foretold|foretelling|foresees?|foreseen|foresaw|foreseeing",
        "predict, predictive density, estimate",
        "models predict",
    ),
    Word("head starts?", "warm start, initial value", "the optimiser's term"),
    Word("pilots?", "preliminary model", "a first small model is meant"),
    Word("laps?", _ITERATION, "loops iterate"),
    Word(
        "(?:a|an|each|every|per|the|this|these|which|such|last|next|first|second|another|one|two|three|"
        r"four|few|several|more|most|many|no|\d+) (?:rounds?|turns?)(?![ -](?:trips?|numbers?))",
        _ITERATION,
        "loops iterate",
    ),
    Word("rounds of", "iterations of", "loops iterate"),
    Word(
        "(?:few|fewer|no|any|lose|loses|lost|costs?|has|have|had|without|twice|more|enough|where) "
        "(?:the |its |their |any |all |more |no )?digits|digits (?:to spare|allow|left|run out)",
        "precision, rounding error",
        "digits are data sets and numerals",
    ),
    Word(
        "Z moves?|moves? Z|moving Z|(?:places?|placed|placing) (?:Z|the basis|basis vectors)",
        "inducing inputs are optimised",
        "the field's term",
    ),
    Word(
        "gaps|gap (?:of|in) (?:a|an|the) (?:template|kernel|expression)",
        "missing values; in a kernel: placeholder",
        "the field's term",
    ),
    Word("texts", "strings", "a text is a string"),
    Word("truth values", "booleans", "the type's name"),
    Word("so many", _NAME_IT, "a riddle at first reading"),
    Word("nobody|whoever|the same again", _NAME_IT, "a riddle at first reading"),
    Word(
        "".join(rf"(?<!{each}\s)" for each in _PEOPLE) + "who(?! wrote)",
        _NAME_IT,
        "programs have callers, not persons",
    ),
    Word("diary|diaries", "history", "the attribute's name: history_"),
)

#: Folder of src/sparsegp and file or folder anywhere below it, and the name that replaced it.
OLD_FILES = {
    "learning/going_on": "early_stopping",
    "learning/wanted": "transform_options",
    "learning/placed": "joint_parameters",
    "learning/likeness": "shared_length_scales",
    "learning/expected_scales": "length_scale_prior",
    "learning/begin": "initialise",
    "learning/condition": "irls",
    "learning/changing_noise": "heteroscedastic",
    "learning/bent_targets": "target_warps",
    "learning/diary": "history",
    "learning/pace": "cost_model",
    "learning/timetable": "time_planner",
    "learning/project": "site_hyperparameters",
    "learning/least_squares": "label_regression",
    "learning/labels": "label_regression",
    "learning/subsets": "exact_subsets",
    "learning/trials": "candidate_search",
    "model/reweighting": "student_t_em",
    "model/spread": "log_noise_gp",
    "model/propagation": "site_inference",
    "model/schemes": "site_inference",
    "files/fits": "type_checks",
    "*/far": "out_of_core",
    "*/far_*": "out_of_core, *_blocks",
    "tables/draws": "index_sampling",
    "tables/spread": "stratified_order",
    "tables/checked": "validated_reduce",
    "tables/labelled": "target_override",
    "tables/squared_errors": "r2_sums",
    "estimators/other_arrays": "array_api_inputs",
    "estimators/training_rows": "a module of tables",
    "estimators/labelled_rows": "a module of tables",
    "estimators/start": "initial_parameters",
    "estimators/inputs": "rollback",
    "estimators/saving": "persistence",
    "selection/at_random": "random_selection",
    "selection/conditioned": "schur_gram",
    "selection/elimination_anywhere": "elimination_array_api",
    "selection/span": "rank_filter",
    "arrays/mixing": "anderson",
    "arrays/halving": "blocked_solve",
    "arrays/pieces": "chunked_map",
    "online/ledger": "deletion_scores",
    "online/recycling": "site_refinement",
    "online/pseudo": "pseudo_observations",
}

#: Classes and functions, with or without a leading underscore.
OLD_NAMES = {
    "Begun": "Initialisation",
    "Chosen": "SelectedBasis",
    "Conditioned": "ConditionedModel",
    "Settled": "ConditionedModel",
    "Placed": "JointParameters",
    "Wanted": "TransformOptions",
    "Prepared": "FittedTransforms",
    "Passed": "PassResult",
    "Laps": "IterationBudget",
    "WhileItPays": "MinGainStopping",
    "WhileHopeful": "TargetStopping",
    "OneNoise": "HomoscedasticNoise",
    "HeavyTails": "StudentTNoise",
    "ChangingNoise": "HeteroscedasticNoise",
    "Level": "MeanDependentNoise",
    "Spread": "LogNoiseGP",
    "Tails": "NoiseDistribution",
    "SetUp": "StreamConfig",
    "Half": "PackedTriangle",
    "Character": "ColumnType",
    "AllBut": "ComplementIndex",
    "near": "load_rows",
    "some_of": "subset",
    "confront": "moment_match",
    "look": "predict_row",
    "pulls_of": "likelihood_update",
    "mend": "refactor",
    "unlikeness": "penalty",
    "in_turn": "parallel_map",
    "linearise": "vjp",
    "against": "bind_Z",
}

#: (file, phrase, reason): what may stand, because the phrase means something else there.
ALLOWED = (("src/sparsegp/files/json_encoding.py", '{"$texts": name}', "a key of the file format"),)
