import type { RuntimeSettingsRead } from '@/domain/settings';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { storedSettings } from './stored-settings';

/** The runtime settings; on first use they come into being with their defaults. */
export function readSettings(_scope: Scope<'settings:read'>): Promise<RuntimeSettingsRead> {
  return storedSettings(db);
}
