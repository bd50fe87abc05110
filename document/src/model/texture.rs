//! What a document says of a texture: its kind, format and extents, each of which the file that fills it may say instead.

use brolga_runtime::{CancelToken, Dimension, Format, TextureShape};

use brolga_files::{Extent, FileForm, FileProblem, Texels, detail, sides};

/// A texture as a document describes it. What is `None` is for the file to say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextureKeys {
    /// The kind.
    pub dimension: Option<Dimension>,
    /// Of its texels.
    pub format: Option<Format>,
    /// Whether the mip levels beside the file's first are made of it.
    pub generate_mips: bool,
    /// The kind that the shader sees, which is the file's if its texels can be seen so.
    pub(crate) seen_as: Option<Dimension>,
    /// By the number of the extent.
    extents: [Option<u32>; Extent::ALL.len()],
}

impl TextureKeys {
    /// What the document says of an extent.
    pub fn get(&self, extent: Extent) -> Option<u32> {
        self.extents[extent as usize]
    }

    /// Says it.
    pub(crate) fn set(&mut self, extent: Extent, value: Option<u32>) {
        self.extents[extent as usize] = value;
    }

    /// The shape, where the document says all of it; else the first key that is missing.
    pub(crate) fn shape(&self) -> Result<TextureShape, &'static str> {
        let dimension = self.dimension.ok_or("kind")?;
        let mut shape = TextureShape::new(dimension, self.format.ok_or("format")?, 0);
        for &side in sides(dimension).iter().rev() {
            let implied = match (dimension, side) {
                (Dimension::TextureCube, Extent::Layers) => Some(6),
                // Faces are squares.
                (Dimension::TextureCube | Dimension::TextureCubeArray, Extent::Height) => Some(shape.width),
                _ => None,
            };
            *side.field(&mut shape) = self.get(side).or(implied).ok_or(side.key())?;
        }
        let detail = detail(dimension);
        *detail.field(&mut shape) = self.get(detail).unwrap_or(1);
        Ok(shape)
    }

    /// Reads the texture of a file as the document wants to see it. `most` bounds the bytes of its texels; the token stops it.
    pub(crate) fn read(
        &self,
        form: FileForm,
        file: Vec<u8>,
        most: u64,
        cancel: &CancelToken,
    ) -> Result<Texels, FileProblem> {
        let mut found = Texels::decode_until(form, file, self.format, most, cancel)?;
        found.shape = self.fit(found.shape)?;
        let format = self.format.unwrap_or(found.shape.format);
        let found = found.convert_until(format, most, cancel)?;
        if self.generate_mips { found.with_mips_until(most, cancel) } else { Ok(found) }
    }

    /// The shape of a file's texture as the document wants to see it: the document's kind, if the texels can be seen so. Otherwise says
    /// how they differ.
    pub(crate) fn fit(&self, file: TextureShape) -> Result<TextureShape, FileProblem> {
        let mut shape = file;
        // One layer is a texture without layers, and six squares are a cube.
        let family = |dimension: Dimension| sides(dimension).iter().filter(|side| **side != Extent::Layers);
        let is_like = |wanted: Dimension| family(wanted).eq(family(file.dimension));
        if let Some(wanted) = self.dimension {
            if !is_like(wanted) {
                return Err(
                    format!("it is a {}, not the {} that is asked for", file.dimension.name(), wanted.name()).into()
                );
            }
            shape.dimension = wanted;
        } else if let Some(seen) = self.seen_as.filter(|seen| is_like(*seen)) {
            shape.dimension = seen;
            if shape.size_bytes().is_err() {
                shape = file;
            }
        }
        for extent in Extent::ALL {
            let found = extent.of(&shape);
            if let Some(said) = self.get(extent).filter(|said| *said != found) {
                return Err(format!("its {} is {found}, not the {said} that is asked for", extent.key()).into());
            }
        }
        shape.size_bytes().map_err(|error| error.to_string())?;
        Ok(shape)
    }
}

impl From<TextureShape> for TextureKeys {
    /// Says everything.
    fn from(shape: TextureShape) -> Self {
        let extents = Extent::ALL.map(|extent| Some(extent.of(&shape)));
        Self {
            dimension: Some(shape.dimension),
            format: Some(shape.format),
            generate_mips: false,
            seen_as: None,
            extents,
        }
    }
}
