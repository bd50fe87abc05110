//! Models the description of a texture: kind, format and extents, each of which may come from the file that fills it
//! instead.

use brolga_runtime::{CancelToken, Dimension, Format, TextureShape};

use brolga_files::{Extent, FileForm, FileProblem, Texels, detail, sides};

/// A texture as a document describes it. Fields that are `None` come from the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextureKeys {
    /// The kind.
    pub dimension: Option<Dimension>,
    /// The format of its texels.
    pub format: Option<Format>,
    /// Set if the mip levels below the file's first are generated from it.
    pub generate_mips: bool,
    /// Set if all samples lie at the center.
    pub center_pattern: bool,
    /// The dimension that the shader declares; it becomes the file's if its texels can be viewed so.
    pub(crate) seen_as: Option<Dimension>,
    /// Indexed by `Extent`.
    extents: [Option<u32>; Extent::ALL.len()],
}

impl TextureKeys {
    /// An extent, if the document gives it.
    pub fn get(&self, extent: Extent) -> Option<u32> {
        self.extents[extent as usize]
    }

    /// Sets an extent.
    pub(crate) fn set(&mut self, extent: Extent, value: Option<u32>) {
        self.extents[extent as usize] = value;
    }

    /// The shape, if the document gives all of it; else the first key that is missing.
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
        Ok(shape.center_pattern(self.center_pattern))
    }

    /// Reads the texture of a file as the document describes it. `most` bounds the bytes of its texels; the token stops
    /// it.
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

    /// The shape of a file's texture with the document's dimension, if the texels can be viewed so; otherwise an error
    /// with the difference.
    pub(crate) fn fit(&self, file: TextureShape) -> Result<TextureShape, FileProblem> {
        let mut shape = file.center_pattern(self.center_pattern);
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
    /// Every field is given.
    fn from(shape: TextureShape) -> Self {
        let extents = Extent::ALL.map(|extent| Some(extent.of(&shape)));
        Self {
            dimension: Some(shape.dimension),
            format: Some(shape.format),
            generate_mips: false,
            center_pattern: shape.center_pattern,
            seen_as: None,
            extents,
        }
    }
}
