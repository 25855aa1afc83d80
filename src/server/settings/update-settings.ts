import { RuntimeChoices, type RuntimeSettingsRead, type RuntimeSettingsUpdate } from '@/domain/settings';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { clock } from '../lib/clock';
import { assertVersion } from '../lib/refusals';
import { lockSetting, updateSetting } from './queries/settings';
import { RUNTIME_KEY, storedSettings } from './stored-settings';

/**
 * Changes runtime settings; fields that are left out stay. Nothing is written, and nothing recorded, when nothing changes.
 * @throws AppError `version_conflict` when `version` is given and no longer current
 */
export async function updateSettings(
  scope: Scope<'*'>,
  { version, ...changes }: RuntimeSettingsUpdate,
): Promise<RuntimeSettingsRead> {
  return db.transaction(async (tx) => {
    await storedSettings(tx);
    await lockSetting(tx, RUNTIME_KEY);
    const current = await storedSettings(tx);
    assertVersion('settings', current.version, version);
    const before = RuntimeChoices.parse(current);
    const after = RuntimeChoices.parse({ ...before, ...changes });
    if (JSON.stringify(before) === JSON.stringify(after)) return current;
    const at = clock.now().toISOString();
    const row = await updateSetting(tx, RUNTIME_KEY, after, at);
    await recordAudit(tx, scope, {
      action: 'settings.updated',
      object_kind: 'settings',
      object_id: RUNTIME_KEY,
      object_name: 'Runtime settings',
      before,
      after,
    });
    return { ...current, ...after, version: row.version, updated_at: row.updated_at };
  });
}
