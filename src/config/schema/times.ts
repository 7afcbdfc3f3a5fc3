import { validate } from 'node-cron';
import { textThat } from './leaves.ts';

const cronWords = 'a cron expression of five fields, or six with seconds in front, such as "*/30 * * * * *"';
const zoneWords = 'an IANA time zone such as Europe/Berlin';

/** What the scheduler takes: it is asked itself. */
export function cron() {
  return textThat(cronWords, (text) => validate(text));
}

export function timeZone() {
  return textThat(zoneWords, isTimeZone, () => Intl.supportedValuesOf('timeZone'));
}

/** Also older names of zones (Europe/Kiev), which no list has; an offset such as +02:00 knows no summer time and is none. */
function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
