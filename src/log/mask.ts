// What must not stand in a line that leaves the process.
import type { Secret } from '../config/secret.ts';

/** Shorter ones would tear holes into innocent words; nothing prints a secret on purpose. */
const maskedCharsMin = 6;

/** A function that takes every one of these secrets out of a text. */
export function createMask(secrets: readonly Secret[]): (text: string) => string {
  const worth = secrets.filter((secret) => secret.reveal().length >= maskedCharsMin);
  return (text) => worth.reduce((masked, secret) => secret.maskIn(masked), text);
}

/**
 * The words of a service may quote the address of the person they are about. Those of service accounts stay: an operator
 * has to know with whom to share a spreadsheet.
 */
export function hideAddresses(text: string): string {
  return text.replaceAll(/[^\s"'<>(),;:]+@[^\s"'<>(),;:]+\.\w+/g, (address) =>
    address.endsWith('.gserviceaccount.com') ? address : '[e-mail]',
  );
}
