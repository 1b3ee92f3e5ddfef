"""Every method, option and equation of the four papers: how it is called, and what tests it.

A call is Python that runs on the small table of ``methods``: inputs ``X``, a target ``y``, labels
``c`` of two classes and ``d`` of three, and further inputs ``T``.
"""

from dataclasses import dataclass

__all__ = ["ROWS", "Row"]

SELECTION = "tests/selection/test_oracles.py::test_path_is_the_definition_after_every_addition"
BEST = "tests/selection/test_oracles.py::test_each_choice_is_the_best_of_all_rows"
DENSE = "tests/model/test_against_dense_formulas.py"
ACTIVE = "tests/selection/test_active_set.py"
SITES = "tests/model/sites/test_active_set.py"
STREAM = "tests/online/test_recursion.py"
DELETION = "tests/online/test_deletion.py"
PAPERS = "tests/estimators/test_online_papers.py"


@dataclass(frozen=True)
class Row:
    """One method or equation."""

    paper: str
    equation: str
    what: str
    call: str
    test: str  # path::name
    record: str  # an experiment whose records hold it; "methods": those of the small table

    @property
    def key(self) -> str:
        """Name the row in the records."""
        return f"{self.paper} {self.equation}: {self.what}"


def _sparse(options: str) -> str:
    return f"SparseGPRegressor(n_neighbors=0, {options}).fit(X, y)"


def _greedy(selection: str, more: str = "n_candidates=5, cache_size=5") -> str:
    return _sparse(f'selection="{selection}", {more}, max_basis=8')


def _active(options: str) -> str:
    return f'SparseGPClassifier(posterior="active", max_basis=8, {options}).fit(X, c)'


def _stream(options: str, target: str = "y") -> str:
    return f"OnlineGPRegressor({options}).fit(X, {target})"


KC = (
    Row(
        *("KC", "1", "exact Gaussian process"),
        _sparse('max_basis="all"'),
        f"{DENSE}::test_exact_log_evidence",
        "co_friedman1",
    ),
    Row(
        *("KC", "2, 3, 6", "projected latent variables (DTC): posterior and prediction"),
        _sparse('approximation="dtc", max_basis=8'),
        f"{DENSE}::test_posterior",
        "kc_figure1",
    ),
    Row(
        *("KC", "section 3", "random selection (RAND)"),
        _sparse('selection="random", max_basis=8'),
        "tests/selection/test_select.py::test_random_is_a_sample_without_replacement",
        "kc_figure1",
    ),
    Row(
        *("KC", "4, 5", "Smola and Bartlett's decrease of the log posterior (SB)"),
        _greedy("log_posterior"),
        SELECTION,
        "kc_figure1",
    ),
    Row(
        *("KC", "section 3", "information gain (INFO; Seeger et al.)"),
        _sparse('selection="information_gain", max_basis=8'),
        "tests/selection/test_information.py::test_gain_is_the_divergence_of_two_dimensions",
        "kc_figure1",
    ),
    Row(
        *("KC", "7, 8", "post-backfitting, matching pursuit (KAPPA)"),
        _greedy("matching_pursuit"),
        BEST,
        "kc_figure1",
    ),
    Row(
        *("KC", "section 3", "cache of c rows, κ of them fresh (DMAX)"),
        _greedy("matching_pursuit", "n_candidates=5, cache_size=8"),
        "tests/selection/test_candidates.py::test_the_worst_make_room_for_fresh_ones",
        "kc_figure1",
    ),
    Row(
        *("KC", "section 3", "extra cache of the kernel rows of discarded candidates"),
        _greedy("matching_pursuit", 'n_candidates=5, cache_size=5, memory_limit="1GB"'),
        "tests/selection/test_kernel_rows.py::test_it_changes_no_choice_and_saves_kernel_values",
        "kc_cache",
    ),
    Row(
        *("KC", "section 3", "every training row selects"),
        _greedy("log_posterior", 'n_rows_selection="all"'),
        "tests/estimators/test_rows_of_selection.py::test_all_rows_choose_when_asked",
        "kc_costs",
    ),
    Row(
        *("KC", "section 4", "marginal likelihood φ(θ) at a basis, and its gradient"),
        _sparse('approximation="dtc", max_basis=8, optimizer="at_basis"'),
        "tests/gradients/test_evidence_gradients.py::test_gradient_of_the_evidence",
        "kc_table1",
    ),
    Row(
        *("KC", "section 4", "selection and adaptation in turn, at d_max, each new basis taken"),
        _sparse(
            'approximation="dtc", max_basis=8, optimizer="at_basis", n_adaptations=2, '
            'accept_basis="always"'
        ),
        "tests/learning/basis/test_adapt.py"
        "::test_a_basis_that_is_no_better_is_accepted_on_request_alone",
        "kc_table1",
    ),
    Row(
        *("KC", "section 4", "the old basis begins the next cache"),
        _sparse(
            'selection="matching_pursuit", n_candidates=5, cache_size=8, max_basis=8, '
            'optimizer="at_basis"'
        ),
        "tests/selection/test_select.py::test_the_pool_seeds_the_working_set",
        "kc_table1",
    ),
    Row(
        *("KC", "section 5", "hyperparameters that stay (FIXED)"),
        _sparse('kernel="rbf", noise_variance=0.1, optimizer=None, max_basis=8'),
        "tests/benchmarks/test_reproduce.py::test_fixed_hyperparameters_are_those_of_the_model",
        "kc_table1",
    ),
    Row(
        *("KC", "section 5", "kernel v₀·RBF with a length scale a column, plus v_b"),
        _sparse("kernel=1.0 * RBF((1.0, 1.0)) + 0.1, max_basis=8"),
        "tests/kernels/test_construction.py::test_sums_and_products_of_blocks",
        "kc_table1",
    ),
    Row(
        *("KC", "section 5", "NMSE and NLPD"),
        "nlpd(SparseGPRegressor(max_basis=8, n_neighbors=0).fit(X, y), X, y)",
        "tests/metrics/test_scores.py::test_known_values_of_a_gaussian",
        "kc_table1",
    ),
)

SKS = (
    Row(
        *("SKS", "1", "FITC"),
        _sparse('approximation="fitc", max_basis=8'),
        f"{DENSE}::test_posterior",
        "sks_rules",
    ),
    Row(
        *("SKS", "section 2", "subset of regressors (SoR)"),
        _sparse('approximation="sor", max_basis=8'),
        f"{DENSE}::test_posterior",
        "sks_rules",
    ),
    Row(
        *("SKS", "section 2", "negative log marginal likelihood of SoR, DTC and FITC"),
        _sparse('approximation="fitc", max_basis=8') + ".log_marginal_likelihood_value_",
        f"{DENSE}::test_log_evidence",
        "sks_tables",
    ),
    Row(
        *("SKS", "section 2", "selection by the marginal likelihood (NLML)"),
        _greedy("marginal_likelihood"),
        "tests/selection/test_select.py::test_marginal_likelihood_is_the_evidence_of_the_model",
        "sks_tables",
    ),
    Row(*("SKS", "2", "selection by LOO-CVE"), _greedy("loo_error"), SELECTION, "sks_tables"),
    Row(*("SKS", "3", "selection by NLGPP"), _greedy("loo_density"), SELECTION, "sks_tables"),
    Row(*("SKS", "4", "selection by GPE"), _greedy("loo_squared_error"), SELECTION, "sks_tables"),
    Row(
        *("SKS", "section 3.3", "leave-one-out measures of FITC and SoR select their own basis"),
        _greedy("loo_density", 'approximation="fitc", n_candidates=5, cache_size=5'),
        "tests/selection/test_rules.py::test_the_path_is_the_measure_of_the_model",
        "sks_rules",
    ),
    Row(
        *("SKS", "section 3.3", "leave-one-out mean and variance by rank one"),
        _sparse('max_basis=8, selection="loo_error"') + ".selection_path_[-1]",
        "tests/model/leave_one_out/test_measures.py::test_equals_really_leaving_one_out",
        "sks_tables",
    ),
    Row(
        *("SKS", "section 2", "basis vectors among test inputs (transduction)"),
        "SparseGPRegressor(n_neighbors=0, max_basis=8).fit(X, y, candidates=T)",
        "tests/selection/test_rules.py::test_candidates_that_are_no_rows",
        "sks_rules",
    ),
    Row(
        *("SKS", "section 2", "pseudo-inputs by a leave-one-out measure"),
        _sparse('max_basis=5, approximation="fitc", refine_basis=True, objective="loo_density"'),
        "tests/estimators/test_regressor_objective.py"
        "::test_inducing_inputs_are_optimised_by_a_measure",
        "sks_rules",
    ),
    Row(
        *("SKS", "section 4", "hyperparameters by a leave-one-out measure"),
        _sparse('max_basis=8, objective="loo_density"'),
        "tests/gradients/test_loo_gradients.py::test_gradient",
        "sks_rules",
    ),
    Row(
        *("SKS", "section 4, step 3", "working set of κ random candidates and a cache"),
        _greedy("loo_error", "n_candidates=5, cache_size=20"),
        "tests/selection/test_oracles.py::test_cache_changes_nothing",
        "sks_tables",
    ),
    Row(
        *("SKS", "section 4, step 5", "end when the measure rises; automatic size"),
        _sparse('selection="loo_error", max_basis=30, stop="auto"'),
        "tests/selection/test_stopping.py::test_a_small_rise_is_passed",
        "sks_figure1",
    ),
    Row(
        *("SKS", "section 5", "observe for a few more iterations, and keep them"),
        _sparse('selection="loo_error", max_basis=30, stop=5, cut_back=False'),
        "tests/selection/test_stopping.py::test_observed_additions_may_stay",
        "sks_tables",
    ),
    Row(
        *("SKS", "section 4, step 6", "hyperparameters by the marginal likelihood, in turn"),
        _sparse('selection="loo_density", max_basis=10, optimizer="at_basis", n_adaptations=2'),
        "tests/learning/basis/test_adapt.py::test_a_model_is_likelier_adapted",
        "sks_tables",
    ),
    Row(
        *("SKS", "appendix", "ζ, η, ν and Q row by row, incrementally"),
        _greedy("loo_density", "n_candidates=3, cache_size=12"),
        "tests/selection/test_select.py::test_values_stay_true_over_several_panels",
        "sks_figures",
    ),
)

SS = (
    Row(
        *("SS", "1", "posterior of the active rows alone"),
        _active('selection="random"'),
        f"{SITES}::test_posterior_is_the_dense_one",
        "ss_figure3_right",
    ),
    Row(
        *("SS", "2", "sites by moment matching"),
        _active('sites="moment_matching"'),
        f"{ACTIVE}::test_sites_match_moments_in_the_order_chosen",
        "ss_figure2",
    ),
    Row(
        *("SS", "3, 7, 8, 9", "updates of mean and variance; the additive model"),
        _active('selection="entropy", n_adaptations=0'),
        f"{ACTIVE}::test_updates_are_the_dense_posterior",
        "ss_figure3_right",
    ),
    Row(
        *("SS", "4", "predictive loss of the other rows, for hyperparameters"),
        _active('objective="predictive_loss"'),
        f"{SITES}::test_gradient_of_the_predictive_loss",
        "ss_figure3_right",
    ),
    Row(
        *("SS", "section 2", "marginal likelihood of the sites, for hyperparameters"),
        _active('objective="marginal_likelihood"'),
        f"{SITES}::test_gradient_of_the_evidence",
        "methods",
    ),
    Row(
        *("SS", "5", "predictive loss of all rows, which selects"),
        _active('selection="random", n_candidates=3'),
        f"{SITES}::test_predictive_loss_is_the_definition",
        "ss_figure3_left",
    ),
    Row(
        *("SS", "6", "the loss bounds the training error"),
        _active('selection="adaptive", n_adaptations=0'),
        f"{ACTIVE}::test_loss_bounds_the_training_error",
        "ss_figure1",
    ),
    Row(
        *("SS", "10", "the best of κ random rows"),
        _active('selection="random", n_candidates=5'),
        f"{ACTIVE}::test_each_choice_is_the_best_of_what_was_drawn",
        "ss_figure3_left",
    ),
    Row(
        *("SS", "11", "adaptive sampling"),
        _active('selection="adaptive", n_candidates=2'),
        "tests/selection/active/test_draws.py"
        "::test_adaptive_draws_follow_the_probability_of_the_other_label",
        "ss_figure3_left",
    ),
    Row(
        *("SS", "section 3", "sites that minimise the predictive loss"),
        _active('sites="predictive_loss"'),
        "tests/selection/active/test_steps.py::test_optimised_steps_are_feasible_minima",
        "ss_figure2",
    ),
    Row(
        *("SS", "section 4", "entropy (informative vector machine)"),
        _active('selection="entropy"'),
        f"{ACTIVE}::test_each_choice_is_the_best_of_what_was_drawn",
        "ss_figure3_right",
    ),
    Row(
        *("SS", "section 4", "information gain"),
        _active('selection="information_gain"'),
        "tests/selection/active/test_draws.py"
        "::test_information_gain_is_the_divergence_of_the_processes",
        "ss_figure3_right",
    ),
    Row(
        *("SS", "section 4", "validation, κ = 59"),
        _active('selection="validation", n_candidates=59'),
        f"{ACTIVE}::test_each_choice_is_the_best_of_what_was_drawn",
        "ss_figure3_right",
    ),
    Row(
        *("SS", "Algorithm 1", "active set and hyperparameters in turn, the best model kept"),
        _active("n_adaptations=3"),
        "tests/learning/basis/test_active_set.py"
        "::test_rounds_find_a_better_model_and_keep_the_best",
        "ss_figure2",
    ),
    Row(
        *("SS", "section 2", "slope and bias of the probit"),
        _active("slope=2.0, bias=0.0"),
        "tests/estimators/test_classifier_candidates.py::test_a_given_bias_stays",
        "methods",
    ),
)

CO = (
    Row(
        *("CO", "2.2, 2.3, 2.6, 2.7", "any likelihood by q and r"),
        _stream('likelihood="laplace"'),
        "tests/likelihoods/test_every_likelihood.py::test_closed_forms_agree_with_quadrature",
        "methods",
    ),
    Row(
        *("CO", "2.8, 2.9", "recursion of α and C"),
        _stream("") + ".alpha_",
        f"{STREAM}::test_alpha_and_c_are_those_of_the_paper",
        "co_friedman1",
    ),
    Row(
        *("CO", "3.9", "α, C and Q of a fitted stream"),
        _stream("max_basis=10") + ".C_",
        f"{PAPERS}::test_the_posterior_in_the_parameters_of_the_paper",
        "methods",
    ),
    Row(
        *("CO", "3.2, 3.7, 3.11", "projection of a row on the basis"),
        _stream("max_basis=10, tolerance=0.1"),
        f"{STREAM}::test_projection_of_rows_is_fitc",
        "co_sinc",
    ),
    Row(
        *("CO", "3.13, 3.14", "novelty γ under a tolerance"),
        _stream("tolerance=0.05") + ".n_basis_",
        "tests/online/test_hostile_streams.py::test_copies_of_rows_do_not_join_by_rounding",
        "co_sinc",
    ),
    Row(
        *("CO", "3.15, D.1 to D.4", "inverse Gram matrix Q"),
        _stream("max_basis=10") + ".Q_",
        f"{PAPERS}::test_the_posterior_in_the_parameters_of_the_paper",
        "methods",
    ),
    Row(
        *("CO", "3.16, E.1 to E.10", "deletion of a basis vector"),
        _stream('max_basis=5, deletion="mean"'),
        f"{DELETION}::test_removal_projects_the_feature_on_the_others",
        "co_friedman1",
    ),
    Row(
        *("CO", "3.17, 3.18", "score of a basis vector"),
        _stream('max_basis=8, deletion="mean"'),
        f"{DELETION}::test_the_score_is_the_change_of_the_mean_at_the_deleted_vector",
        "co_sinc",
    ),
    Row(
        *("CO", "4.1", "spherical RBF kernel of width σ_K"),
        _stream("RBF(1.4), optimizer=None, max_basis=10"),
        "tests/gradients/test_evidence_gradients.py::test_gradient_of_the_evidence",
        "co_sinc",
    ),
    Row(
        *("CO", "4.2 to 4.4", "regression with Gaussian noise"),
        _stream('max_basis=60, optimizer=None, transform_X="none", transform_y="none"'),
        f"{STREAM}::test_without_sparsity_it_is_the_exact_gaussian_process",
        "co_friedman1",
    ),
    Row(
        *("CO", "4.5 to 4.7", "two classes by the probit"),
        "OnlineGPClassifier(max_basis=10).fit(X, c)",
        "tests/likelihoods/test_probit.py::test_derivatives",
        "co_usps",
    ),
    Row(
        *("CO", "4.8", "several classes on one basis, deletion by the largest score"),
        'OnlineGPClassifier(max_basis=10, deletion="mean").fit(X, d)',
        f"{DELETION}::test_of_several_outputs_the_largest_score_counts",
        "co_usps",
    ),
    Row(
        *("CO", "section 4", "basis vectors removed without learning again"),
        _stream("max_basis=20") + ".prune(5)",
        f"{STREAM}::test_shrinking_takes_the_lowest_first",
        "co_friedman1",
    ),
    Row(
        *("CO", "section 4.2", "a second sweep, rows as if new"),
        "OnlineGPClassifier(max_basis=10, n_sweeps=2, recycle=False).fit(X, c)",
        f"{STREAM}::test_one_row_at_a_time_equals_many_at_once",
        "co_usps",
    ),
    Row(
        *("CO", "section 5", "recycling of rows (Minka), towards TAP"),
        "OnlineGPClassifier(max_basis=10, n_sweeps=2, recycle=True).fit(X, c)",
        "tests/online/test_site_refinement.py"
        "::test_labels_come_to_rest_and_their_order_stops_to_matter",
        "co_usps",
    ),
    Row(
        *("CO", "section 5", "deletion by the Kullback-Leibler divergence"),
        _stream('max_basis=8, deletion="kl"'),
        f"{DELETION}::test_kl_removal_minimises_the_divergence_that_its_score_predicts",
        "co_sinc",
    ),
    Row(
        *("CO", "section 5", "mixture of Gaussians in closed form"),
        _stream("likelihood=GaussianMixture([0.9, 0.1], [0.05, 4.0]), max_basis=10"),
        f"{PAPERS}::test_a_mixture_gives_outliers_little_weight",
        "methods",
    ),
    Row(
        *("CO", "section 5", "likelihoods that are zero somewhere"),
        _stream("likelihood=by_quadrature(edge), max_basis=10"),
        "tests/online/test_hostile_streams.py"
        "::test_a_hard_edge_gives_numbers_even_where_it_does_not_come_to_rest",
        "methods",
    ),
    Row(
        *("CO", "lemma 1", "prior mean of the process"),
        _stream("bias=0.5, max_basis=10"),
        f"{PAPERS}::test_a_given_prior_mean_is_that_of_the_exact_process",
        "methods",
    ),
)

ROWS = (*KC, *SKS, *SS, *CO)
