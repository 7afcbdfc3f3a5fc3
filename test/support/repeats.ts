// How often a test repeats what is not the point of it: a few times with every run of the tests, more often with REPEATS=all.

export const isAll = process.env['REPEATS'] === 'all';

/** `all` times with REPEATS=all in the environment, else `few` times. */
export const repeats = (few: number, all: number): number => (isAll ? all : few);
