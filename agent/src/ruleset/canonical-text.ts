/** Content of a table without any rule or policy set; merely listing a table creates it. */
const UNTOUCHED = /^(?:\*\S+|:[A-Z]+ ACCEPT|COMMIT)$/;

/**
 * The rules in the output of iptables-save and ebtables-save: without comments, which carry a date, without the counters
 * of chains and rules, and without tables that are as the kernel makes them.
 */
export function canonicalSave(text: string): string {
  const lines = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) =>
      line
        .replace(/^\[\d+:\d+\] /, '')
        .replace(/ \[\d+:\d+\]$/, '')
        .replace(/ -c \d+ \d+/, '')
        .trimEnd(),
    );
  const tables: string[][] = [];
  for (const line of lines) {
    if (line.startsWith('*') || tables.length === 0) tables.push([]);
    tables.at(-1)?.push(line);
  }
  return tables
    .filter((table) => !table.every((line) => UNTOUCHED.test(line)))
    .flat()
    .join('\n');
}

/** The sets in the output of `ipset save`, members sorted; members that expire are traffic. */
export function canonicalIpset(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '');
  const expiring = new Set(
    lines.filter((line) => line.startsWith('create ') && / timeout \d/.test(line)).map((line) => line.split(' ')[1]),
  );
  return lines
    .filter((line) => !line.startsWith('add ') || !expiring.has(line.split(' ')[1]))
    .map((line) => line.replace(/ (?:packets|bytes) \d+/g, '').trimEnd())
    .sort()
    .join('\n');
}
