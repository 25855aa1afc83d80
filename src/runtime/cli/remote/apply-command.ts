import type { Change } from '@/domain/change/change';
import type { ChangeDifference } from '@/domain/change/difference';
import type { PolicyFilePlan } from '@/domain/policy-file/plan';
import { type Command, EXIT, ReportError, type Terminal, textOption, UsageError, type Values } from '../command';
import { type Api, ApiError, type Variables } from './api';
import { formatPlan, isDifferenceShown } from './format-plan';
import { FILE_OPTIONS, FILE_OPTIONS_HELP, makePlan, openPolicyFile, pollUntil, sendPolicyFile } from './policy-file';

/** A roll-out that takes longer is followed on its page. */
const MAX_WAIT_MS = 6 * 3_600_000;

function secondsOption(values: Values, name: string): number | null {
  const text = textOption(values, name);
  if (text === null) return null;
  if (!/^\d{1,6}$/.test(text)) throw new UsageError(`--${name} requires a number of seconds.`);
  return Number(text);
}

/** Follows a change until its roll-out has ended. */
async function followRollout(api: Api, id: string, terminal: Terminal): Promise<number> {
  const moving: readonly Change['state'][] = ['applying', 'rolling_back', 'approved'];
  const change = await pollUntil(
    () => api.call<Change>('GET', `/changes/${id}`),
    ({ state, paused }) => !moving.includes(state) || paused,
    MAX_WAIT_MS,
  );
  for (const { message, remedy } of change.problems) terminal.note(remedy === null ? message : `${message} ${remedy}`);
  const page = api.page(`/changes/${id}`);
  switch (change.state) {
    case 'confirmed':
      terminal.print('Applied.');
      return EXIT.ok;
    case 'awaiting_confirmation':
      terminal.print(`Applied. It is rolled back unless confirmed until ${change.confirm_until}: ${page}`);
      return EXIT.ok;
    case 'rolled_back':
      terminal.note(`The change was rolled back: ${page}`);
      return EXIT.rolled_back;
    default:
      terminal.note(`The change is not applied completely (${change.state}): ${page}`);
      if (change.confirm_until !== null)
        terminal.note(`It is rolled back unless continued until ${change.confirm_until}.`);
      return EXIT.failed;
  }
}

const OUTDATED =
  'Since the plan, the firewall of a workload or what its policies require changed. Nothing was written. Make the plan again.';

/**
 * Reads the workloads of a change now.
 * @returns the fingerprint of what it would do; null: some of its workloads are not visible
 * @throws ReportError when it would do something else there than its plan shows
 */
async function assertDoesAsPlanned(api: Api, id: string, plan: PolicyFilePlan): Promise<string | null> {
  const difference = await api.call<ChangeDifference>('GET', `/changes/${id}/difference?refresh=true`);
  if (isDifferenceShown(difference, plan)) return difference.fingerprint;
  throw new ReportError(OUTDATED);
}

/** Takes a step of a change, and withdraws the change when that fails: it could be applied otherwise than planned, and each run would leave one. */
async function stepOrWithdraw<T>(api: Api, id: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    // It may be under way already, when only the answer was lost.
    await api.call<Change>('POST', `/changes/${id}/withdraw`, {}).catch(() => undefined);
    throw error instanceof ApiError && error.problem.reason === 'preview_outdated' ? new ReportError(OUTDATED) : error;
  }
}

/** Submits a change, and waits for approval where that is requested. @returns the state that it has then */
async function submit(api: Api, id: string, waitSeconds: number | null, terminal: Terminal): Promise<Change['state']> {
  const { state } = await api.call<Change>('POST', `/changes/${id}/submit`, {});
  if (state !== 'in_review' || waitSeconds === null) return state;
  terminal.note(`Waiting for approval: ${api.page(`/changes/${id}`)}`);
  const change = await pollUntil(
    () => api.call<Change>('GET', `/changes/${id}`),
    (one) => one.state !== 'in_review',
    waitSeconds * 1_000,
  );
  return change.state;
}

/** `fabric apply`. @param open connects to the installation @param confirm asks the person at the terminal; null: there is none */
export const applyCommand = (
  open: () => Api,
  env: Variables,
  confirm: ((question: string) => Promise<boolean>) | null,
): Command => ({
  name: 'apply',
  summary: 'Make policies, groups and policy tests what a file says, as one change.',
  help: `  fabric apply FILE [--yes] [--prune] [--tenant NAME] [--source NAME] [--confirm-within SECONDS] [--wait-for-approval SECONDS]
               [--roll-back-on-failure] [--title TEXT]

Shows the plan, and applies exactly that. Exit status: 0 applied or nothing to change, 1 error, 3 in review, 4 rolled back.

--yes                         applies without a question
--confirm-within SECONDS      rolls back unless the change is confirmed in this time; without it there is no timer
--wait-for-approval SECONDS   waits this long where approval is required; without it the change is left in review
--roll-back-on-failure        rolls everything back when a workload cannot be written; without it the roll-out stops there
--title TEXT                  title of the change
--no-replay                   does not wait until observed connections are replayed
${FILE_OPTIONS_HELP}`,
  options: {
    ...FILE_OPTIONS,
    yes: { type: 'boolean', short: 'y' },
    'confirm-within': { type: 'string' },
    'wait-for-approval': { type: 'string' },
    'roll-back-on-failure': { type: 'boolean' },
    title: { type: 'string' },
    'no-replay': { type: 'boolean' },
  },
  positionals: ['FILE'],
  async run({ values, positionals: [name = ''], terminal }) {
    const confirm_within_seconds = secondsOption(values, 'confirm-within') ?? 0;
    const waitSeconds = secondsOption(values, 'wait-for-approval');
    const title = textOption(values, 'title') ?? `Apply ${name === '-' ? 'a policy file' : name}`.slice(0, 120);
    const api = open();
    const file = await openPolicyFile(name, values, env);
    const plan = await makePlan(api, file, values['no-replay'] !== true);
    for (const line of formatPlan(plan)) terminal.print(line);
    if (plan.operations.length === 0) return EXIT.ok;
    if (values.yes !== true) {
      if (!confirm) throw new UsageError('There is no terminal to confirm the plan. Add --yes to apply it.');
      if (!(await confirm('Apply this plan? [y/N] '))) {
        terminal.note('Not applied.');
        return EXIT.failed;
      }
    }
    const on_failure = values['roll-back-on-failure'] === true ? 'rollback' : 'stop';
    const draft = { title, confirm_within_seconds, on_failure, plan_hash: plan.plan_hash };
    const { id } = await sendPolicyFile<Change>(api, '/policy-file/change', file, draft);
    const fingerprint = await stepOrWithdraw(api, id, () => assertDoesAsPlanned(api, id, plan));
    const state = await submit(api, id, waitSeconds, terminal);
    if (state === 'in_review') {
      terminal.note(`The change is in review: ${api.page(`/changes/${id}`)}`);
      return EXIT.in_review;
    }
    if (state === 'approved') {
      const shown = fingerprint === null ? {} : { fingerprint };
      await stepOrWithdraw(api, id, () => api.call<Change>('POST', `/changes/${id}/apply`, shown));
    }
    return followRollout(api, id, terminal);
  },
});
