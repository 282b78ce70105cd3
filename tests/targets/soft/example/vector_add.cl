// c[i] = a[i] + b[i]; sums[s] is the sum over subgroup s.
__attribute__((intel_reqd_sub_group_size(16))) kernel void vector_add(global const float *a, global const float *b, global float *c,
                                                                      global float *sums) {
  size_t i = get_global_id(0);
  float sum = a[i] + b[i];
  c[i] = sum;
  float whole = sub_group_reduce_add(sum);
  if (get_sub_group_local_id() == 0) sums[i / get_max_sub_group_size()] = whole;
}
