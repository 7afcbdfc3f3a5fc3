// The policies of a sync as questions: what happens, and the consequence of each answer. The first answer is the safe one.

export type PolicyId = 'conflict' | 'blank' | 'row-deleted' | 'contact-deleted';
export type PolicyChoices = Readonly<Record<PolicyId, string>>;

export interface PolicyQuestion {
  readonly id: PolicyId;
  /** The key of the option in the file. */
  readonly option: string;
  readonly happens: string;
  readonly answers: readonly [PolicyAnswer, ...PolicyAnswer[]];
}

export interface PolicyAnswer {
  readonly value: string;
  readonly consequence: string;
}

export const policyQuestions: readonly PolicyQuestion[] = [
  {
    id: 'conflict',
    option: 'conflict',
    happens: 'Both sides change one field to different values',
    answers: [
      { value: 'manual', consequence: 'both values stay until you decide with leadsheet resolve' },
      { value: 'crm', consequence: 'the value of the service is kept; the history has the other one' },
      { value: 'sheet', consequence: 'the value of the sheet is kept; the history has the other one' },
      { value: 'newest', consequence: 'the later edit is kept; the history has the other one' },
    ],
  },
  {
    id: 'blank',
    option: 'blank',
    happens: 'A cell or a field is emptied',
    answers: [
      { value: 'sync', consequence: 'the other side is emptied, too' },
      { value: 'ignore', consequence: 'it is filled again from the other side' },
    ],
  },
  {
    id: 'row-deleted',
    option: 'on_row_deleted',
    happens: 'A row is deleted',
    answers: [
      { value: 'ignore', consequence: 'the contact stays, and gets no new row' },
      { value: 'restore', consequence: 'the contact stays, and its row comes back' },
      { value: 'cancel_automations', consequence: 'the contact stays, and is taken out of its automations' },
      { value: 'delete_contact', consequence: 'the contact is DELETED in the service' },
    ],
  },
  {
    id: 'contact-deleted',
    option: 'on_contact_deleted',
    happens: 'A contact is deleted in the service',
    answers: [
      { value: 'mark', consequence: 'the row stays, and its status says so' },
      { value: 'delete_row', consequence: 'the row is DELETED with all its cells' },
      { value: 'ignore', consequence: 'the row stays as it is' },
    ],
  },
];

export function policyQuestion(id: PolicyId): PolicyQuestion {
  return policyQuestions.find((question) => question.id === id)!;
}

/** The comment behind each policy in the file says what the policy does. */
export function policyComments(choices: PolicyChoices): Readonly<Record<string, string>> {
  return Object.fromEntries(
    policyQuestions.map(({ id, option, happens, answers }) => {
      const answer = answers.find(({ value }) => value === choices[id]);
      return [option, `${happens}: ${answer?.consequence ?? ''}`];
    }),
  );
}
