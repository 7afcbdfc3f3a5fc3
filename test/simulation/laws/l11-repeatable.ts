import type { Law } from '../oracle/evidence.ts';

/** L11. The same sides give the same plan, in the same order, however the service pages and wraps what it answers. */
export const repeatable: Law = ({ quiet }) => {
  if (!quiet.plans) return [];
  const [first, second] = quiet.plans.map((plan) => plan.map((each) => JSON.stringify(each)));
  const missing = first!.find((each, index) => each !== second![index]) ?? second!.find((each, index) => each !== first![index]);
  return missing === undefined ? [] : [{ law: 'L11', text: `two plans over the same sides differ: ${missing}` }];
};
