// The names of the jobs that a person sees.

/** As of now: a reload of the configuration changes them. */
export type JobNames = () => ReadonlySet<string>;
