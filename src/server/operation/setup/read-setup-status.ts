import { DEMO_KEY, type SetupStatus } from '@/domain/setup';
import { isSetupCompleted, requiredSetupCode } from '../../access/setup-state';
import type { OpenScope } from '../../auth/scope';
import { db } from '../../db/client';
import { findSetting } from '../../settings/queries/settings';

/** Whether the installation has its first administrator, what making one takes, and whether it is a demo. */
export async function readSetupStatus(_scope: OpenScope): Promise<SetupStatus> {
  const demo = (await findSetting(db, DEMO_KEY)) !== null;
  if (await isSetupCompleted(db)) return { completed: true, setup_code_required: false, demo };
  return { completed: false, setup_code_required: (await requiredSetupCode()) !== null, demo };
}
