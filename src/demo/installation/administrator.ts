import { randomUUID } from 'node:crypto';
import { SetupInput } from '@/domain/setup';
import { openScope } from '@/server/auth/scope';
import { env } from '@/server/lib/env';
import { AppError } from '@/server/lib/errors';
import { completeSetup } from '@/server/operation/setup/complete-setup';

export const DEMO_EMAIL = 'demo@nordwind.example';

/** Completes the setup with the demo's administrator, unless somebody did before. */
export async function ensureAdministrator(password: string): Promise<void> {
  const scope = openScope({ request_id: randomUUID(), source_address: null }, 'demo data');
  const setup_code = env().FABRIC_SETUP_CODE;
  const input = SetupInput.parse({ email: DEMO_EMAIL, password, name: 'Demo administrator', setup_code });
  try {
    await completeSetup(scope, input);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
  }
}
