import type { SetupStatus } from '@/domain/setup';
import type { OpenScope } from '../../auth/scope';
import { db } from '../../db/client';
import { isSetupCompleted, requiredSetupCode } from './setup-state';

/** Whether the installation has its first administrator, and what making one takes. */
export async function readSetupStatus(_scope: OpenScope): Promise<SetupStatus> {
  if (await isSetupCompleted(db)) return { completed: true, setup_code_required: false };
  return { completed: false, setup_code_required: (await requiredSetupCode()) !== null };
}
