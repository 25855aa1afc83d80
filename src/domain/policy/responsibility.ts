// Without schemas, so that pages do not load them.

/** Who answers for a policy or a rule, why it exists, and until when. */
export type Responsibility = { owner: string; ticket: string; expires_at: string | null };
export const NO_RESPONSIBILITY: Responsibility = { owner: '', ticket: '', expires_at: null };
export const RESPONSIBILITY_FIELDS = ['owner', 'ticket', 'expires_at'] as const satisfies (keyof Responsibility)[];

/** Whether it has expired at a time. */
export const isExpired = ({ expires_at }: Pick<Responsibility, 'expires_at'>, now: number): boolean =>
  expires_at !== null && Date.parse(expires_at) <= now;
