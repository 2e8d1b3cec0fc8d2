// Lets the buttons beside snippets copy them.
for (const button of document.querySelectorAll<HTMLElement>('.copy')) {
  const field = document.querySelector<HTMLTextAreaElement>(`#${button.dataset.of}`);
  button.addEventListener('click', async () => {
    field?.select();
    await navigator.clipboard.writeText(field?.value ?? '');
    button.textContent = button.dataset.copied ?? '';
  });
}
