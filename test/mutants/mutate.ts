// Small changes to a source text, each of which a test should notice. Types and texts for people are left alone.
import { parseSync } from 'oxc-parser';

export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** What a test has to run to notice it, if that is not `start`. */
  readonly reachedAt?: number;
  /** For people: `=== -> !==`. */
  readonly what: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const operators: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
};

const methods: Readonly<Record<string, string>> = { some: 'every', every: 'some' };

export function mutantsOf(file: string, source: string): Mutant[] {
  const mutants: Mutant[] = [];
  const textOf = ({ start, end }: Node) => source.slice(start, end);
  const add = (start: number, end: number, text: string, what: string, reachedAt = start) => {
    mutants.push({ file, line: source.slice(0, start).split('\n').length, start, end, text, reachedAt, what });
  };
  walk(parseSync(file, source).program as unknown as Node, visit);
  return mutants;

  function visit(node: Node): void {
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression':
        return visitOperator(node);
      case 'IfStatement':
      case 'ConditionalExpression':
        return force(node['test'] as Node);
      case 'UnaryExpression':
        if (node['operator'] === '!') add(node.start, node.start + 1, '', '! dropped');
        return;
      case 'Literal':
        return visitLiteral(node);
      case 'ReturnStatement':
        // If the function returns nothing, or a value that counts as nothing, emptying it changes nothing.
        if (node['argument'] && !['undefined', 'false'].includes(textOf(node['argument'] as Node)))
          add(node.start, node.end, 'return undefined as never;', `emptied: ${shown(textOf(node))}`);
        return;
      case 'ExpressionStatement':
        add(node.start, node.end, ';', `dropped: ${shown(textOf(node))}`);
        return;
      case 'MemberExpression':
        return visitMethod(node['property'] as Node);
      default:
    }
  }

  function visitOperator(node: Node): void {
    const [left, right] = [node['left'] as Node, node['right'] as Node];
    const operator = String(node['operator']);
    const other = operators[operator];
    // A text is concatenated: minus makes no text.
    if (other === undefined || (operator === '+' && [left, right].some(isText))) return;
    const at = source.indexOf(operator, left.end);
    // V8 counts the operator of `a ?? b` with b, which may never run: a decides, too.
    add(at, at + operator.length, other, `${operator} -> ${other} in ${shown(textOf(node))}`, node.start);
  }

  function force(test: Node): void {
    for (const always of ['true', 'false'])
      add(test.start, test.end, `(${always} as boolean)`, `${always} for ${shown(textOf(test))}`);
  }

  function visitLiteral(node: Node): void {
    const { value } = node;
    if (typeof value === 'number') add(node.start, node.end, String(value + 1), `${value} -> ${value + 1}`);
    if (typeof value === 'boolean') add(node.start, node.end, String(!value), `${value} -> ${!value}`);
  }

  function visitMethod(property: Node): void {
    const other = methods[String(property['name'])];
    if (other !== undefined) add(property.start, property.end, other, `${String(property['name'])} -> ${other}`);
  }
}

function walk(node: Node, visit: (node: Node) => void): void {
  if (node.type.startsWith('TS') && !node.type.endsWith('Expression')) return;
  visit(node);
  for (const child of Object.values(node)) {
    for (const each of Array.isArray(child) ? child : [child]) if (isNode(each)) walk(each, visit);
  }
}

function isText({ type, value, left, right }: Node): boolean {
  if (type === 'BinaryExpression') return [left, right].some((side) => isText(side as Node));
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string');
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 70 ? `${line.slice(0, 70)}…` : line;
}
