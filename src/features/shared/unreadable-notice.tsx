import type { z } from 'zod';
import type { UnreadableNote } from '@/domain/policy-preview';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';

type Note = z.output<typeof UnreadableNote>;

/** Parts that could not be read for the same reason, and what to do about it. */
export type UnreadParts = { parts: string[]; message: string; remedy: Note['remedy'] };

const asSentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

/** One entry for each reason: a node that does not answer costs many parts. In the order of the notes. */
export function unreadParts(notes: readonly Note[]): UnreadParts[] {
  const byReason = new Map<string, UnreadParts>();
  for (const { part, node, vnet, message, remedy } of notes) {
    const key = JSON.stringify([message, remedy]);
    const reason = byReason.get(key) ?? { parts: [], message: asSentence(message), remedy };
    const name = [part, node, vnet].filter(Boolean).join(' ');
    if (!reason.parts.includes(name)) reason.parts.push(name);
    byReason.set(key, reason);
  }
  return [...byReason.values()];
}

/** What could not be read, and what to do about it; nothing when all of it could. */
export function UnreadableNotice({ notes }: { notes: readonly Note[] }) {
  const t = useT();
  if (notes.length === 0) return null;
  return (
    <Notice tone="warn" title={t('Some data could not be read')}>
      <ul className="flex flex-col gap-1">
        {unreadParts(notes).map(({ parts, message, remedy }) => (
          <li key={`${message} ${remedy}`}>
            <span className="mono">{parts.join(', ')}</span>: {message}
            {remedy && <span className="font-medium"> {remedy}</span>}
          </li>
        ))}
      </ul>
      <p className="text-muted">{t('Data that could not be read is shown as unknown, not as off or empty.')}</p>
    </Notice>
  );
}
