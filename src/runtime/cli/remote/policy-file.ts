import { readFile } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import type { PolicyFilePlan } from '@/domain/policy-file/plan';
import { textOption, type Values } from '../command';
import { type Api, ApiError, type Variables } from './api';
import { readSource, SOURCE_HELP, SOURCE_OPTIONS } from './file-source';
import { FileError, type PolicyYaml, readPolicyYaml } from './policy-yaml';

/** What `plan` and `apply` have in common. */
export const FILE_OPTIONS = { prune: { type: 'boolean' }, tenant: { type: 'string' }, ...SOURCE_OPTIONS } as const;

export const FILE_OPTIONS_HELP = `--prune        deletes what the file lacks and its source manages, or without a source nothing manages; the plan lists it
--tenant NAME  only objects of this tenant; limits what --prune deletes
${SOURCE_HELP}`;

export type OpenFile = { readonly name: string; readonly yaml: PolicyYaml; readonly body: object };

/** Reads a file and the options that go with it. @throws FileError, UsageError */
export async function openPolicyFile(name: string, values: Values, env: Variables): Promise<OpenFile> {
  const managed_by = readSource(values, env);
  const text = name === '-' ? await readStream(process.stdin) : await readFile(name, 'utf8');
  const yaml = readPolicyYaml(name, text);
  const tenant = textOption(values, 'tenant');
  const body = {
    document: yaml.document,
    prune: values.prune === true,
    ...(tenant !== null && { tenant }),
    ...(managed_by && { managed_by }),
  };
  return { name, yaml, body };
}

/** Sends a document; what is wrong with it is said with line and column. @throws FileError, ApiError */
export async function sendPolicyFile<T>(api: Api, path: string, file: OpenFile, more: object = {}): Promise<T> {
  try {
    return await api.call<T>('POST', path, { ...file.body, ...more });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const inFile = (error.problem.errors ?? []).filter(({ field }) => /^document(\.|$)/.test(field));
    if (inFile.length === 0) throw error;
    const mistakes = inFile.map(({ field, message }) => {
      const path = field.replace(/^document\.?/, '');
      return { ...file.yaml.locate(path), message: path === '' ? message : `${path}: ${message}` };
    });
    throw new FileError(file.name, mistakes);
  }
}

/** The plan, with the impact as soon as it is computed. @param waits false: it is not waited for */
export async function makePlan(api: Api, file: OpenFile, waits: boolean): Promise<PolicyFilePlan> {
  const plan = await sendPolicyFile<PolicyFilePlan>(api, '/policy-file/plan', file);
  if (!waits || plan.impact?.status !== 'running') return plan;
  const { id } = plan.impact;
  const impact = await pollUntil(
    () => api.call<NonNullable<PolicyFilePlan['impact']>>('GET', `/impacts/${id}`),
    ({ status }) => status !== 'running',
    IMPACT_MS,
  );
  return { ...plan, impact };
}

const IMPACT_MS = 10 * 60_000;

/** Asks until the answer is final, or the time is over. @returns the last answer */
export async function pollUntil<T>(ask: () => Promise<T>, isOver: (answer: T) => boolean, ms: number): Promise<T> {
  const end = Date.now() + ms;
  for (let pause = 100; ; pause = Math.min(2_000, pause * 1.5)) {
    const answer = await ask();
    if (isOver(answer) || Date.now() >= end) return answer;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pause, Math.max(0, end - Date.now()))));
  }
}
