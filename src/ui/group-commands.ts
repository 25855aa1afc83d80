import type { Command } from './command-registry';

export type CommandGroup = { value: string; items: Command[] };

/**
 * Commands under their headings, in the order in which heading and command first appear; with a query, those whose label it
 * matches before those that only a keyword brings up. A later command with a known id replaces it.
 */
export function groupCommands(commands: readonly Command[], query = ''): CommandGroup[] {
  const byId = new Map(commands.map((command) => [command.id, command]));
  const all = [...byId.values()];
  const byLabel = (command: Command) => command.found === true || matches(command.label, query);
  const ordered = fold(query) === '' ? all : [...all.filter(byLabel), ...all.filter((one) => !byLabel(one))];
  const groups = new Map<string, Command[]>();
  for (const command of ordered) {
    const items = groups.get(command.group);
    if (items) items.push(command);
    else groups.set(command.group, [command]);
  }
  return Array.from(groups, ([value, items]) => ({ value, items }));
}

/** Whether every word of the query begins a word of the command or its group. "add cl" finds "Add cluster". */
export function matchesCommand(command: Command, query: string): boolean {
  if (command.found) return true;
  return matches(`${command.label} ${command.group} ${(command.keywords ?? []).join(' ')}`, query);
}

function matches(text: string, query: string): boolean {
  const words = fold(text).split(' ');
  return fold(query)
    .split(' ')
    .every((part) => words.some((word) => word.startsWith(part)));
}

const fold = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join(' ');
