import { formatCount, formatDateTime } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { RouterOutputs } from '@/lib/trpc';

type Verification = RouterOutputs['audit']['verify'];

const REASONS: Record<NonNullable<Verification['broken']>['reason'], string> = {
  missing: msg('Record {seq} is missing: it was removed.'),
  previous_hash: msg('Record {seq} does not follow the one before: something between them was removed or changed.'),
  hash: msg('Record {seq} does not match its own hash: it was changed.'),
  anchor: msg('Record {seq} is not the one that was noted down.'),
  checkpoint: msg('Record {seq} is where the trail was cut, but no record in it says so.'),
};

/** What a verification of the trail found, in a sentence. */
export function verificationText(
  t: Translate,
  { checked, broken, pruned }: Pick<Verification, 'checked' | 'broken' | 'pruned'>,
): { tone: 'ok' | 'danger'; title: string; text: string } {
  if (!broken) {
    const sentences = [t('{n, plural, one {# record} other {# records}} checked.', { n: checked })];
    if (pruned) {
      const cut = { seq: formatCount(pruned.seq), at: formatDateTime(pruned.at) };
      sentences.push(
        t('Those up to record {seq} were removed on {at} because their time was up; the trail says so itself.', cut),
      );
    }
    return { tone: 'ok', title: t('The trail is unbroken'), text: sentences.join(' ') };
  }
  const sentences = [
    t(REASONS[broken.reason], { seq: formatCount(broken.seq) }),
    t('{n, plural, one {The # record before it is} other {The # records before it are}} in order.', { n: checked }),
  ];
  return { tone: 'danger', title: t('The trail is broken'), text: sentences.join(' ') };
}
