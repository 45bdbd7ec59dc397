/** Options of V8 with which functions are optimised late; none where it has no such option. */
export const optimiseLate: readonly string[];
