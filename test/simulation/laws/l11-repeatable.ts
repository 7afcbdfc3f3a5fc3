import type { Law } from '../oracle/evidence.ts';

/** L11. The same sides give the same plan, in the same order, however the service pages and wraps its answers. */
export const repeatable: Law = ({ quiet }) => {
  if (!quiet.plans) return [];
  const [first, second] = quiet.plans.map((plan) => plan.map((each) => JSON.stringify(each)));
  const isSame = JSON.stringify(first) === JSON.stringify(second);
  if (isSame) return [];
  const index = first!.findIndex((each, place) => each !== second![place]);
  const text = `two plans over the same sides differ: ${first![index] ?? 'nothing'}\n      against ${second![index] ?? 'nothing'}`;
  return [{ law: 'L11', text }];
};
