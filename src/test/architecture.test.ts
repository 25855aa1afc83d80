import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

type Report = {
  summary: {
    violations: { rule: { name: string }; from: string; to: string }[];
    totalCruised: number;
    totalDependenciesCruised: number;
  };
};

/** Runs dependency-cruiser with the project's own rules over the given folders. */
function cruise(...folders: string[]): Report {
  const args = [
    'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    ...folders,
  ];
  try {
    return JSON.parse(execFileSync('node', args, { encoding: 'utf8', maxBuffer: 512 * 1024 * 1024 }));
  } catch (error) {
    // The exit code is the number of violations; the report is on stdout all the same.
    const { stdout } = error as { stdout?: string };
    if (stdout) return JSON.parse(stdout);
    throw error;
  }
}

describe('architecture', () => {
  it('keeps the dependency rules, and the check really looked at the code', { timeout: 120_000 }, () => {
    const { summary } = cruise('src', 'workers', 'agent', 'e2e');
    expect(summary.violations.map((v) => `${v.rule.name}: ${v.from} → ${v.to}`)).toEqual([]);
    expect(summary.totalCruised).toBeGreaterThan(150);
    expect(summary.totalDependenciesCruised).toBeGreaterThan(400);
  });

  it('is what git keeps: no source is ignored by an entry that means something else', () => {
    const ignored = execFileSync(
      'git',
      ['ls-files', '--others', '--ignored', '--exclude-standard', 'src', 'workers', 'e2e', 'drizzle'],
      {
        encoding: 'utf8',
      },
    );
    expect(ignored).toBe('');
  });

  it('types key by key in the browser suite: fill() hides a field that loses focus while someone types', () => {
    const specs = readdirSync('e2e', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const filled = specs.filter((name) => /\.fill\(/.test(readFileSync(join('e2e', name), 'utf8')));
    expect(filled).toEqual([]);
    expect(specs.length).toBeGreaterThan(30);
  });
});
