// Takes the code of a one-time link out of the address, so that it stays in no history, and leaves one button to press.
const form = document.getElementById('enter');
const code = location.hash.slice(1);
if (form && code !== '') {
  history.replaceState(null, '', location.pathname);
  const field = form.elements.namedItem('code');
  field.value = code;
  field.closest('label').hidden = true;
  form.querySelector('button').focus();
}
