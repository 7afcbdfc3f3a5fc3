// Loaded before all else: one text in one file of the program is read as another one. Nothing on disk changes.
import { registerHooks } from 'node:module';
import { sabotages } from './sabotages.ts';

const wanted = sabotages.find(({ name }) => name === process.env['SABOTAGE']);
if (!wanted) throw new Error(`there is no sabotage ${process.env['SABOTAGE']}`);
const { file, text, instead } = wanted;
const url = new URL(`../../../src/${file}`, import.meta.url).href;

registerHooks({
  load(loaded, context, next) {
    const answer = next(loaded, context);
    if (loaded !== url) return answer;
    const source = String(answer.source);
    if (source.split(text).length !== 2) throw new Error(`${file} holds this not once:\n${text}`);
    return { ...answer, source: source.replace(text, () => instead) };
  },
});
