import { isOlderVersion } from '@/domain/agent-version';
import { readAgentBundle } from './agent-bundle';

/** The version that this service hands out; null when it was built without the agent. */
export async function offeredVersion(): Promise<string | null> {
  return (await readAgentBundle())?.version ?? null;
}

/** Whether an agent of this version should be updated; null when nobody can tell. */
export function isOutdated(version: string | null, offered: string | null): boolean | null {
  return version === null || offered === null ? null : isOlderVersion(version, offered);
}
