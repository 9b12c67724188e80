"""Names of netcl-autograd and of tensors, which no op can have; `nox -s goldens` writes them."""

AUTOGRAD = frozenset(
    """
    Accumulator AnomalyError DataParallel Function GradcheckError GradientEdge HookHandle Node Record Result Session
    Tape Trace TraceNode allow_mutation_on_saved_tensors apply_in_place apply_op arange attempt backward binary
    checkpoint checkpoint_steps debug_tape debugging detect_anomaly disable_saved_tensors_hooks distributed draw
    enable_grad engine eye factories full full_like get_current_tape get_gradient_edge grad gradcheck gradgradcheck
    gradient_report graph hessian hvp inference_mode is_grad_enabled is_inference_mode_enabled jacfwd jacobian jacrev
    jit jvp linearize linspace load memory_report no_grad ok_or_raise once_differentiable ones ones_like ops optim
    print_gradients print_graph programs pullback queue_callback rand rand_like randint randn randn_like
    register_multi_grad_hook register_tree save save_on_host saved_tensors_hooks saving set_current_tape
    set_detect_anomaly set_grad_enabled tensor to_dot tracing track_view transforms unary value_and_grad vhp vjp vmap
    zeros zeros_like
    """.split()
)
TENSORS = frozenset(
    """
    T add_ alias allocate another assign_ attrs backward base buffer bump_version copy_from_host counter creation_trace
    detach device div_ dtype ended from_host grad grad_fn gradient_edge id inputs is_contiguous is_leaf item itself
    layout lerp_ level mT mul_ name nbytes ndim offset op op_name opaque origin output output_nr parents physical queue
    register_hook register_post_accumulate_grad_hook requires_grad retain_grad retains_grad same shape sibling size spec
    strides sub_ to_host tolist value version without_graph zero_grad
    """.split()
)
