/** Who has a password computed: from where, and for which account. */
export type PasswordAsker = { source: string; account: string };

/** Somebody who is signed in, wherever they are. */
export const signedInAsker = (userId: string): PasswordAsker => ({ source: `user ${userId}`, account: userId });
