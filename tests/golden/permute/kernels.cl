// y is a view

// grad_x is a view
