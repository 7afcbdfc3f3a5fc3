// The options for schedules and time zones.
import { validate } from 'node-cron';
import { durationToMs } from '../../lib/duration.ts';
import { textThat } from './leaves.ts';

const cronWords = 'a cron expression of five fields, or six with seconds in front, such as "*/30 * * * * *"';
/** Cron itself runs where one of the two matches; node-cron, where both do. */
export const cronDays = 'Where it has a day of the month and a weekday, both must match.';
const zoneWords = 'an IANA time zone such as Europe/Berlin';

/** Valid if the scheduler itself accepts it. */
export function cron() {
  return textThat(cronWords, (text) => validate(text));
}

export function timeZone() {
  return textThat(zoneWords, isTimeZone, () => Intl.supportedValuesOf('timeZone'));
}

/** Names that the machine knows. To ask it takes a millisecond, and every job has a zone; there are some 600 names. */
const knownZones = new Set<string>();

/**
 * Includes older names of zones (Europe/Kiev), which no list has. An offset such as +02:00 has no summer time and is no
 * zone.
 */
function isTimeZone(text: string): boolean {
  if (knownZones.has(text)) return true;
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    const isKnown = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
    if (isKnown) knownZones.add(text);
    return isKnown;
  } catch {
    return false;
  }
}

/** `least` and `most` as a person writes them. */
export function duration(least: string, most: string) {
  const [from = 0, to = Infinity] = [durationToMs(least), durationToMs(most)];
  const words = `a duration from ${least} to ${most}, such as 30s, 5m or 1h`;
  return textThat(words, (text) => {
    const ms = durationToMs(text);
    return ms !== undefined && ms >= from && ms <= to;
  });
}
