import { foldText, matchText } from '@/domain/search/match-text';
import type { Command } from '@/ui/command-registry';

export type CommandGroup = { value: string; items: Command[] };

/** A keyword is a worse match than a label, and better than a typing error. */
const KEYWORD = 4;
/** In place of none: things whose name is only similar. */
const SIMILAR = 15;

/** How well a command matches a folded query: 0 is best, null is not at all. */
export function rankCommand({ label, group, keywords = [], found }: Command, query: string): number | null {
  if (query === '') return 0;
  const byLabel = matchText(query, foldText(label));
  if (found === 'similar') return SIMILAR;
  // The service has found it by something else than its label: an address, a tag.
  if (found !== undefined) return found === 'exact' ? 0 : Math.min(byLabel ?? KEYWORD, KEYWORD);
  if (byLabel !== null && byLabel < KEYWORD) return byLabel;
  const byKeyword = matchText(query, foldText(`${label} ${group} ${keywords.join(' ')}`));
  if (byKeyword !== null && byKeyword < KEYWORD) return KEYWORD;
  // A typing error counts in the label; with many keywords, something is always similar.
  return byLabel ?? null;
}

/**
 * Commands that match under their headings, the best first: headings by their best command, and commands in the order given where
 * they match equally well. A later command with a known id replaces it.
 */
export function groupCommands(commands: readonly Command[], query = ''): CommandGroup[] {
  const folded = foldText(query);
  const byId = new Map(commands.map((command) => [command.id, command]));
  const ranked = [...byId.values()]
    .flatMap((command) => {
      const rank = rankCommand(command, folded);
      return rank === null ? [] : [{ command, rank }];
    })
    .sort((a, b) => a.rank - b.rank);
  const groups = new Map<string, Command[]>();
  for (const { command } of ranked) {
    const items = groups.get(command.group);
    if (items) items.push(command);
    else groups.set(command.group, [command]);
  }
  return Array.from(groups, ([value, items]) => ({ value, items }));
}
