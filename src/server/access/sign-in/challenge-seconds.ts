/** How long a sign-in waits for a code: enough to find the phone. */
export const CHALLENGE_SECONDS = 600;
