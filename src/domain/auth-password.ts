import { z } from 'zod';

export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_LENGTH = 256;

// What lists of leaked passwords lead with, at the length we ask for. Compared without case and without digits or signs at the end.
const COMMON = new Set([
  'password',
  'passwordpassword',
  'administrator',
  'adminadmin',
  'adminadminadmin',
  'adminpassword',
  'changeme',
  'changemenow',
  'changemechangeme',
  'letmein',
  'letmeinletmein',
  'letmeinplease',
  'welcome',
  'welcomehome',
  'welcomewelcome',
  'qwerty',
  'qwertyqwerty',
  'qwertyuiop',
  'qwertyuiopasdfghjkl',
  'qwertyuiopasdfghjklzxcvbnm',
  'asdfghjkl',
  'asdfghjklqwertyuiop',
  'iloveyou',
  'iloveyouiloveyou',
  'iloveyousomuch',
  'proxmox',
  'proxmoxproxmox',
  'fabric',
  'fabricfabric',
  'fabricadmin',
  'supersecret',
  'supersecretpassword',
  'mypassword',
  'secretpassword',
  'trustno',
  'correcthorsebatterystaple',
  'football',
  'baseball',
  'princess',
  'sunshine',
  'superman',
  'starwars',
  'passw0rd',
  'p@ssw0rd',
  'p@ssword',
  'q1w2e3r4t5y6',
  '1q2w3e4r5t6y',
  '1qaz2wsx3edc',
  'abcdefghijkl',
  'abcdefghijklm',
  'abcdefghijklmnop',
  'abcdefghijklmnopqrstuvwxyz',
]);

const KEYBOARD = '01234567890123456789 98765432109876543210 abcdefghijklmnopqrstuvwxyz zyxwvutsrqponmlkjihgfedcba';

/** The form in which passwords are compared and hashed: two ways to type the same letter are the same password. */
export const normalizePassword = (password: string): string => password.normalize('NFKC');

/**
 * Why a new password is refused, or null when it is good: 12 to 256 characters and not one of those tried first.
 * There is no rule about kinds of characters; length is what counts.
 */
export function passwordProblem(password: string, email?: string): string | null {
  const normal = normalizePassword(password);
  const length = [...normal].length;
  if (length < MIN_PASSWORD_LENGTH) return `Use at least ${MIN_PASSWORD_LENGTH} characters; a few words are fine.`;
  if (length > MAX_PASSWORD_LENGTH) return `Use at most ${MAX_PASSWORD_LENGTH} characters.`;
  const plain = normal.toLowerCase();
  if (new Set(plain).size < 5) return 'Use more different characters.';
  const core = plain.replace(/[^\p{Letter}]+$/u, '');
  if (COMMON.has(plain) || COMMON.has(core) || KEYBOARD.includes(plain)) {
    return 'This password is among those tried first. Choose another one.';
  }
  const account = email?.trim().toLowerCase();
  if (account && (plain === account || core === account || core === account.split('@')[0])) {
    return 'Choose a password that is not your email address.';
  }
  return null;
}

/** A password that somebody chooses now. */
export const NewPassword = z
  .string('Enter the password as text.')
  .max(4 * MAX_PASSWORD_LENGTH, `Use at most ${MAX_PASSWORD_LENGTH} characters.`)
  .superRefine((password, context) => {
    const problem = passwordProblem(password);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });
