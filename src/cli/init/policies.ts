// Asks for the status column and the policies, each as what happens and its consequence.
import { policyQuestion, type PolicyChoices, type PolicyId } from '../../operator/init/policies.ts';
import type { ChosenColumn } from './columns.ts';
import { Refused, type Session } from './session.ts';

/** null: none. */
export async function askStatusColumn(session: Session, columns: readonly ChosenColumn[]): Promise<string | null> {
  const filled = new Set(columns.flatMap(({ column }) => (column.texts.length > 0 ? [column.header] : [])));
  const mapped = new Set(columns.flatMap(({ column, choice }) => (choice.kind === 'left' ? [] : [column.header])));
  const free = ['Sync', 'Leadsheet', 'Leadsheet status'].find((header) => !filled.has(header) && !mapped.has(header));
  const none = 'none';
  return session.answer({
    id: 'status-column',
    what: 'the header of a column in which each row says what waits or was refused, or none',
    safe: free ?? none,
    parse(text) {
      const header = text.trim();
      if (header === '') throw new Refused('a column has a header; none: no such column');
      if (header === none) return null;
      if (mapped.has(header)) throw new Refused(`column "${header}" is mapped to a field already`);
      if (filled.has(header)) session.warn(`Column "${header}" holds values. The first run replaces them`);
      return header;
    },
    ask: (prompts) =>
      prompts.text({
        message: 'A column in which each row says what waits or was refused (none: no such column)',
        proposal: free ?? none,
      }),
  });
}

export async function askPolicies(session: Session, hasAutomations: boolean): Promise<PolicyChoices> {
  return {
    conflict: await askPolicy('conflict'),
    blank: await askPolicy('blank'),
    'row-deleted': await askPolicy('row-deleted'),
    'contact-deleted': await askPolicy('contact-deleted'),
  };

  async function askPolicy(id: PolicyId): Promise<string> {
    const { happens, answers } = policyQuestion(id);
    const possible = answers.filter(({ value }) => hasAutomations || value !== 'cancel_automations');
    return session.answer({
      id,
      what: happens.toLowerCase(),
      safe: answers[0].value,
      parse(text) {
        const answer = possible.find(({ value }) => value === text.trim());
        if (!answer) throw new Refused(`it is ${possible.map(({ value }) => value).join(', ')}, not "${text}"`);
        return answer.value;
      },
      ask: async (prompts) =>
        (await prompts.choose({
          message: happens,
          options: possible.map(({ value, consequence }) => ({ value, label: consequence, hint: value })),
          initial: answers[0].value,
        })) ?? '',
    });
  }
}
