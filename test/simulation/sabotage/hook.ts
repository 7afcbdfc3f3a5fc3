// Loaded before everything else: replaces one text in one file of the program as it is read. Nothing on disk changes.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { sabotages } from './sabotages.ts';

const wanted = sabotages.find(({ name }) => name === process.env['SABOTAGE']);
if (!wanted) throw new Error(`there is no sabotage ${process.env['SABOTAGE']}`);
const { file, text, instead } = wanted;
const place = new URL(`../../../src/${file}`, import.meta.url);
const whole = readFileSync(place, 'utf8');
if (whole.split(text).length !== 2) throw new Error(`${file} holds this not once:\n${text}`);

registerHooks({
  load(loaded, context, next) {
    const answer = next(loaded, context);
    return loaded === place.href ? { ...answer, source: whole.replace(text, () => instead) } : answer;
  },
});
