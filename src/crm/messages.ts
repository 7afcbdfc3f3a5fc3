import type { NetworkMessage } from './operations/records.ts';

/** A network message with the words of its kind, status and automation in one spelling. */
export interface ReadMessage {
  readonly kind: string;
  readonly status: string;
  readonly automation: string;
  /** One emoji and nothing else: a reaction that arrives as an ordinary message. Kept, but no reply to react to. */
  readonly reaction: boolean;
}

/** `Connection-Note`, `connection note` and `connection_note` are one kind; enums are open, unknown ones pass through. */
export function readMessage(message: NetworkMessage): ReadMessage {
  return {
    kind: spelling(message.kind),
    status: spelling(message.status),
    automation: spelling(automationName(message.automation)),
    reaction: isOneEmoji(message.text ?? ''),
  };
}

function spelling(word: string | null | undefined): string {
  return (word ?? '')
    .trim()
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll(/[\s_-]+/g, '_')
    .toLowerCase()
    .replace(/^in_mail$/, 'inmail');
}

/** A word, or an object that names an automation. */
function automationName(automation: unknown): string {
  if (typeof automation === 'string') return automation;
  return automation === null || automation === undefined ? '' : 'auto';
}

function isOneEmoji(text: string): boolean {
  const graphemes = [...new Intl.Segmenter().segment(text.trim())];
  return (
    graphemes.length === 1 && /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(graphemes[0]?.segment ?? '')
  );
}
