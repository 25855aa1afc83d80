import { formatErrorReason } from '../command';

/** What one check found. `skipped`: it does not apply, or what it needs is missing. */
export type Finding = {
  name: string;
  status: 'ok' | 'warning' | 'failed' | 'skipped';
  detail: string;
  /** What to do about it. */
  remedy?: string;
};
export type Check = {
  name: string;
  /** What an earlier check has found to answer. If it did not, this check would only wait for it again. */
  needs?: Service;
  /** What answers if this check comes to a result. */
  proves?: Service;
  run(): Promise<Omit<Finding, 'name'>>;
};
type Service = 'PostgreSQL';

export const ok = (detail: string): Omit<Finding, 'name'> => ({ status: 'ok', detail });
export const skipped = (detail: string): Omit<Finding, 'name'> => ({ status: 'skipped', detail });
export const warning = (detail: string, remedy: string): Omit<Finding, 'name'> => ({
  status: 'warning',
  detail,
  remedy,
});
export const failed = (detail: string, remedy: string): Omit<Finding, 'name'> => ({ status: 'failed', detail, remedy });

const TIMEOUT_MS = 15_000;

/**
 * Runs checks one after the other. One that fails itself, or does not end, is a finding like any other; those that need what it asked
 * are not run.
 */
export async function runChecks(checks: readonly Check[], onFinding: (finding: Finding) => void): Promise<Finding[]> {
  const findings: Finding[] = [];
  const unanswered = new Set<Service>();
  for (const { name, needs, proves, run } of checks) {
    const report = (finding: Omit<Finding, 'name'>) => {
      findings.push({ name, ...finding });
      onFinding({ name, ...finding });
    };
    if (needs && unanswered.has(needs)) {
      report(skipped(`not checked: ${needs} does not answer`));
      continue;
    }
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no response within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
    });
    const finding = await Promise.race([run(), timeout])
      .catch((error: unknown) => {
        if (proves) unanswered.add(proves);
        return failed(formatErrorReason(error), 'See docs/troubleshoot.md.');
      })
      .finally(() => clearTimeout(timer));
    report(finding);
  }
  return findings;
}
