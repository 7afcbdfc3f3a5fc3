// Runs in a process with the sabotaged program, and prints the first story that notices, as one line of JSON.
import { play } from '../play.ts';
import { drawScenario } from '../scenario/draw.ts';

export interface Verdict {
  /** The number of stories that it took; null: none of them noticed. */
  readonly stories: number | null;
  readonly law: string;
  readonly text: string;
}

const [first = 1, seeds = 1] = process.argv.slice(2).map(Number);
let verdict: Verdict = { stories: null, law: '', text: '' };
for (let story = 1; story <= seeds && verdict.stories === null; story += 1) {
  const { violations } = await play(drawScenario(first + story - 1));
  const [violation] = violations;
  if (violation) verdict = { stories: story, ...violation };
}
process.stdout.write(JSON.stringify(verdict), () => process.exit());
