import { type ConversationCandidate, haveSameEnds } from '@/domain/flow/assign-conversation';
import { groupBy } from '../../lib/group-by';

/** A conversation that may be a part of another one. */
export type DueConversation = ConversationCandidate & { conversation_key: string };

/** Which conversations are a part of an earlier one: they have the same ends, and overlap. */
export function findParts(due: readonly DueConversation[]): { id: string; whole: string }[] {
  return [...groupBy(due, ({ conversation_key }) => conversation_key).values()].flatMap((same) => {
    const wholes: DueConversation[] = [];
    return [...same]
      .sort((a, b) => a.ordinal - b.ordinal || a.first_seen - b.first_seen)
      .flatMap((part) => {
        const whole = wholes.find(
          (one) => haveSameEnds(one, part) && one.first_seen <= part.last_seen && part.first_seen <= one.last_seen,
        );
        if (!whole) {
          wholes.push(part);
          return [];
        }
        whole.first_seen = Math.min(whole.first_seen, part.first_seen);
        whole.last_seen = Math.max(whole.last_seen, part.last_seen);
        return [{ id: part.id, whole: whole.id }];
      });
  });
}
