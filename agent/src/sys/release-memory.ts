import { readFileSync } from 'node:fs';
import process from 'node:process';
import { libc } from './libc';

/** Part of the program file in the memory of this process. */
type Mapping = { start: bigint; length: bigint };

/**
 * Parts of a program file that are mapped for reading or executing and unchanged, from the text of /proc/self/smaps. Changed pages
 * are left alone: their content is nowhere else.
 */
export function listUnchangedMappings(smaps: string, file: string): Mapping[] {
  return smaps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).flatMap((entry) => {
    const [, start, end, path] = /^([0-9a-f]+)-([0-9a-f]+) r-[-x]p \S+ \S+ \d+ +(\/.*)$/m.exec(entry) ?? [];
    // A page that this process changed is anonymous. Dirty ones may be of a file that was just installed.
    if (path !== file || !/^Anonymous: +0 kB$/m.test(entry)) return [];
    return [{ start: BigInt(`0x${start}`), length: BigInt(`0x${end}`) - BigInt(`0x${start}`) }];
  });
}

/**
 * Gives back the pages of the runtime that only the start needed, about 30 MB. Those that are needed come back from the
 * page cache by themselves.
 */
export function releaseProgramPages(): void {
  const smaps = readFileSync('/proc/self/smaps', 'latin1');
  for (const { start, length } of listUnchangedMappings(smaps, process.execPath)) libc().releasePages(start, length);
}
