import { createHash } from 'node:crypto';
import { fingerprintText, type PlanContext } from '@/domain/policy/plan/approved-plan';
import type { GuestFilter, GuestIntent } from '@/domain/policy/plan/guest-filter';

/** Fingerprint of a guest as it was read together with what is planned for it; another one means that one of both changed. */
export const guestFingerprint = (filter: GuestFilter, intent: GuestIntent, context: PlanContext): string =>
  createHash('sha256')
    .update(fingerprintText(filter, intent, context))
    .digest('base64url');
