import { z } from 'zod';
import { MIN_PASSWORD_LENGTH } from './choices';

export const MAX_PASSWORD_LENGTH = 256;

// Words of this product and its administrators, and what is made of more than two common ones. Compared without case and
// without digits or signs at the end. The thousands of other common passwords only the server has.
const TRIED_FIRST = new Set([
  'administrator',
  'adminadmin',
  'adminadminadmin',
  'adminpassword',
  'changeme',
  'changemenow',
  'changemechangeme',
  'fabric',
  'fabricfabric',
  'fabricadmin',
  'proxmox',
  'proxmoxproxmox',
  'proxmoxadmin',
  'qwertyuiopasdfghjklzxcvbnm',
  'iloveyousomuch',
  'supersecretpassword',
  'correcthorsebatterystaple',
]);

const KEYBOARD = '01234567890123456789 98765432109876543210 abcdefghijklmnopqrstuvwxyz zyxwvutsrqponmlkjihgfedcba';

/** The form in which passwords are compared and hashed: two ways to type the same letter are the same password. */
export const normalizePassword = (password: string): string => password.normalize('NFKC');

/**
 * Why a new password is refused, or null when it is good: 12 to 256 characters and not one of those tried first here. The server
 * asks its list of common passwords besides (`hashNewPassword`). There is no rule about kinds of characters; length is what counts.
 */
export function passwordProblem(password: string, email?: string): string | null {
  const normal = normalizePassword(password);
  const length = [...normal].length;
  if (length < MIN_PASSWORD_LENGTH) return `Use at least ${MIN_PASSWORD_LENGTH} characters; a few words are fine.`;
  if (length > MAX_PASSWORD_LENGTH) return `Use at most ${MAX_PASSWORD_LENGTH} characters.`;
  const plain = normal.toLowerCase();
  if (new Set(plain).size < 5) return 'Use more different characters.';
  const core = plain.replace(/[^\p{Letter}]+$/u, '');
  if (TRIED_FIRST.has(plain) || TRIED_FIRST.has(core) || KEYBOARD.includes(plain)) {
    return 'This password is too common. Choose another one.';
  }
  const account = email?.trim().toLowerCase();
  if (account && (plain === account || core === account || core === account.split('@')[0])) {
    return 'Choose a password that is not your email address.';
  }
  return null;
}

/** The user's current password. No rule beyond a bound: whatever was once accepted must be accepted here. */
export const CurrentPassword = z
  .string('Enter your password as text.')
  .min(1, 'Enter your current password.')
  .max(1024, 'At most 1024 characters.');

/** A new password, as the user chooses it. */
export const NewPassword = z
  .string('Enter the password as text.')
  .max(4 * MAX_PASSWORD_LENGTH, `Use at most ${MAX_PASSWORD_LENGTH} characters.`)
  .superRefine((password, context) => {
    const problem = passwordProblem(password);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });
