// Decides which custom fields of a write are stored.
import { invalid } from './refusal.ts';
import type { Switches } from './switches.ts';

const wellFormed = /^[A-Za-z_][A-Za-z0-9_]*$/;
const customFieldsMax = 100;

/**
 * The custom fields of a write that are stored; a name that the team does not have is refused, or left out by a switch.
 */
export function storableCustomFields(
  given: Readonly<Record<string, string>>,
  switches: Switches,
): Record<string, string> {
  if (switches.customFields === 'ignored') return {};
  const names = Object.keys(given);
  if (names.length > customFieldsMax) throw invalid({ custom_fields: [`At most ${customFieldsMax} custom fields.`] });
  const isKnown = (name: string) => wellFormed.test(name) && (switches.customFieldNames?.includes(name) ?? true);
  const unknown = names.filter((name) => !isKnown(name));
  if (unknown.length > 0 && switches.unknownCustomField === 'refused') {
    throw invalid(
      Object.fromEntries(unknown.map((name) => [`custom_fields.${name}`, ['This custom field is unknown.']])),
    );
  }
  return Object.fromEntries(Object.entries(given).filter(([name]) => isKnown(name)));
}
