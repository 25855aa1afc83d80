import ts from 'typescript';
import { isTextCall, type Source } from './sources';

/** Attributes for machines. Users read every other attribute that contains text. */
const TECHNICAL =
  /^(class(Name)?|\w+ClassName|id|key|href|src|type|name|role|rel|target|d|viewBox|transform|style|value|variant|size|tone|side|align|kind|method|autoComplete|inputMode|htmlFor|data-.*|scope|textAnchor|dominantBaseline|d[xy]|preserveAspectRatio|draggable|aria-(hidden|modal|selected|expanded|busy|atomic|invalid|required|pressed|checked|relevant|labelledby|describedby|controls|live|sort|current|orientation|haspopup|autocomplete|activedescendant|keyshortcuts)|as|dateTime|lang|fill|stroke.*|language|pattern|accept|layout|height|shapeRendering|code|download|\w+Tone|locale|autoHighlight|swipeDirection|end|autoCapitalize|wrap)$/;
/** Elements whose text is code. */
const CODE = /^(code|kbd|pre|samp|Kbd|Mono|CodeBlock)$/;
/** Functions whose words are classes, names of things in the program, or told to developers. */
const FOR_MACHINES =
  /^(cn|clsx|cva|buttonClass|twMerge|console\.\w+|Error|TypeError|RangeError|CustomEvent|Event|matchMedia|window\.matchMedia|RegExp|URL|IntlMessageFormat|Intl\.\w+|(.*[.])?(matches|querySelector(All)?|getElementById|closest|setAttribute|getAttribute|startsWith|endsWith|includes|split|join|replace|replaceAll|addData))$/;
/** Names that are the same in every language. */
const NAMES = new Set([
  'Fabric',
  'Python',
  'Proxmox VE',
  'Authorization',
  'Bearer',
  'English',
  'Français',
  'Deutsch',
  'Escape',
  'Enter',
  'Tab',
  'Home',
  'End',
  'Control',
  'Ctrl',
  'Esc',
  'Meta',
  'Shift',
  'Alt',
  'Space',
  'Backspace',
  'Delete',
  'Arrow',
  'Spacebar',
  'Edge',
  'Opera',
  'Firefox',
  'Chrome',
  'Safari',
  'Windows',
  'Android',
  'Linux',
]);

/** Commands, and privileges of the hypervisor: `pveum role add …`, `Sys.Audit`. */
const COMMAND = /^(curl|pveum|pvenode) |^[A-Z]\w*(\.[A-Z]\w*)+$/;

const hasWord = (text: string) => /[A-Za-z]{2}/.test(text) && !/^(https?:\/)?\/\S+$/.test(text.trim());
const isClassList = (words: readonly string[]) =>
  words.filter(
    (word) =>
      /^[^A-Z]*[-:[\]/]./.test(word) ||
      /^(flex|grid|block|hidden|truncate|absolute|relative|sticky|fixed|inline|uppercase|border|rounded|underline|static|contents|table|italic)$/.test(
        word,
      ),
  ).length *
    3 >=
  words.length;

/** Whether a text anywhere in the program looks like one for people: a capitalised word, or several words. */
function isProse(text: string): boolean {
  const words = text.trim().split(/\s+/);
  // A value stands as 0: "Bearer 0".
  const name = text.trim().replace(/ 0$/, '');
  if (!hasWord(text) || NAMES.has(name) || /^(Arrow|Page)(Up|Down|Left|Right)$/.test(text)) return false;
  if (COMMAND.test(name)) return false;
  if (/^[A-Z][a-z]+([ ,.:;!?…’'-]|$)/.test(text.trim())) return true;
  return words.length > 1 && words.filter((word) => /^[a-z]+[,.:]?$/i.test(word)).length > 1 && !isClassList(words);
}

const isForMachines = (node: ts.Node): boolean =>
  ((ts.isCallExpression(node) || ts.isNewExpression(node)) && FOR_MACHINES.test(node.expression.getText())) ||
  (ts.isTaggedTemplateExpression(node) && ['sql', 'String.raw'].includes(node.tag.getText())) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node) ||
  ts.isTypeNode(node) ||
  ts.isThrowStatement(node) ||
  // 'use client'
  (ts.isExpressionStatement(node) && ts.isStringLiteral(node.expression)) ||
  (ts.isPropertyAssignment(node) && node.name.getText() === 'colorScheme') ||
  (ts.isJsxAttribute(node) && TECHNICAL.test(node.name.getText())) ||
  (ts.isJsxElement(node) && CODE.test(node.openingElement.tagName.getText()));

/** Whether a literal is what an element shows: `{isOn ? 'on' : 'off'}`. */
function isShown(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isParenthesizedExpression(parent)) return isShown(parent);
  if (ts.isConditionalExpression(parent)) return parent.condition !== node && isShown(parent);
  if (ts.isBinaryExpression(parent)) {
    const kind = parent.operatorToken.kind;
    const passes = [
      ts.SyntaxKind.BarBarToken,
      ts.SyntaxKind.QuestionQuestionToken,
      ts.SyntaxKind.AmpersandAmpersandToken,
    ];
    return passes.includes(kind) && parent.right === node && isShown(parent);
  }
  return ts.isJsxExpression(parent) && !ts.isJsxAttribute(parent.parent);
}

const isKey = (node: ts.Node) =>
  (ts.isPropertyAssignment(node.parent) && node.parent.name === node) ||
  ts.isElementAccessExpression(node.parent) ||
  ts.isCaseClause(node.parent) ||
  (ts.isBinaryExpression(node.parent) && /^[!=]==?$/.test(node.parent.operatorToken.getText()));

/** The text of a template: its literal parts between the values. */
const getTemplateText = (node: ts.TemplateExpression) =>
  [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('0');

/** Texts of a file that are said in English whatever the language of the page is: `line: text`. */
export function findHardCodedTexts({ tree }: Source): string[] {
  const found: string[] = [];
  const tell = (node: ts.Node, text: string) => {
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${line + 1}: ${text.trim().replace(/\s+/g, ' ')}`);
  };
  const visit = (node: ts.Node): void => {
    if (isForMachines(node)) return;
    if (isTextCall(node)) {
      // The first argument is said; values may hold words of their own.
      for (const argument of node.arguments.slice(1)) visit(argument);
      return;
    }
    if (ts.isJsxText(node) && hasWord(node.text) && !NAMES.has(node.text.trim())) tell(node, node.text);
    else if (ts.isStringLiteralLike(node) && !isKey(node)) {
      const isAttribute = ts.isJsxAttribute(node.parent);
      if (isAttribute || isShown(node) ? hasWord(node.text) && !NAMES.has(node.text) : isProse(node.text))
        tell(node, node.text);
    } else if (ts.isTemplateExpression(node)) {
      const words = getTemplateText(node);
      if (isProse(words) || (isShown(node) && / [a-z]{2,}|[a-z]{2,} /.test(words))) tell(node, node.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}
